import type { Issue as FieldIssue } from "../../../domain/errors.ts"
import { describeFailedChange, describeFailure, type Failure, possibleTimes, withPeriod } from "../../api/errors.ts"
import { describeReview } from "../../api/describeReview.ts"
import { describeField } from "../../api/fieldWords.ts"
import {
  countedIn,
  hasThreads,
  isLive,
  isPlatform,
  livePlatforms,
  platformName
} from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { type OwnSetting, shownSettingsFor } from "./otherSettings.ts"

type Issue = typeof FieldIssue.Encoded

const nameOf = (name: string): string => (isPlatform(name) ? platformName(name) : name)

/** Converts a part's number on a platform to its number in the post. Both count from 1. */
export type NumberOf = (platform: string, part: number) => number

/** `text` is the subject of the second sentence. */
const describeLength = (
  { length, limit, platform, unit: counted }: Pick<Violation, "length" | "limit" | "platform" | "unit">,
  text = "This"
): string => {
  const unit = counted === "bytes" ? counted : isLive(platform) ? countedIn(platform) : "characters"
  return `${nameOf(platform)} accepts ${limit} ${unit}. ${text} is ${length - limit} too many.`
}

/** An unknown code, from a later version of the service, is described by the service's message. */
const describeIssue = (issue: Issue): string => {
  const { code, facts = {}, path } = issue
  const { length = 0, limit = 0, platform = "", reason = "", unit } = facts
  const name = nameOf(platform)
  switch (code) {
    case "text_too_long":
      return describeLength({ platform, limit, length, unit })
    case "text_repeated":
      return `${name} refuses this text: an earlier part has the same. Change a word of it.`
    case "thread_refused":
      return `${name} has no threads. Write a text of its own for it, which is then posted alone, or leave it out of the parts.`
    case "platform_foreign":
      return "The post does not go there any more. Choose where this part goes, or remove it."
    case "too_long":
      return path[0] === "content" || path[0] === "platform_overrides"
        ? `A post can have at most ${limit.toLocaleString("en-US")} characters. Make it shorter, or split it into a thread where the platform has threads.`
        : describeField(issue)
    case "text_blank":
      return "Write something, or add a picture or video."
    case "time_missing":
    case "time_past":
    case "time_too_far":
      return possibleTimes
    case "slot_missing":
      return "No time of the queue is free for this post. Choose a time, or add times under Settings, Queue."
    case "platform_unconnected":
      return `${name} is not connected. Connect it under Accounts.`
    case "platform_in_review":
      return `${isPlatform(platform) ? describeReview(platform) : `${name} is in platform review`}.`
    case "text_refused":
    case "text_unlinked":
    case "file_refused":
    case "setting_refused":
    case "file_doubtful":
      return withPeriod(`${name} ${reason}`)
    case "file_inconvertible":
      return `This file can’t be converted for ${name}. Upload it again, or use another file.`
    case "alt_too_long":
      return `${name} accepts ${limit} characters of alternative text. This is ${length - limit} too many.`
    default:
      return describeField(issue)
  }
}

interface Violation {
  readonly platform: string
  readonly length: number
  readonly limit: number
  /** Absent from an earlier version of the service. */
  readonly unit?: string | undefined
  readonly part?: number
}

/** Checks only for an object, because the service encodes the fields by the problem's schema. */
const isViolation = (value: unknown): value is Violation => typeof value === "object" && value !== null

const describeViolations = (violations: ReadonlyArray<unknown>, numberOf: NumberOf): string =>
  violations
    .filter(isViolation)
    .map((violation) => {
      const { part, platform } = violation
      return describeLength(violation, part === undefined ? "This" : `Part ${numberOf(platform, part)}`)
    })
    .join(" ")

export const describeRefusal = (failure: Failure, numberOf: NumberOf = (_, part) => part): string => {
  if (failure._tag === "ConnectionError") return describeFailedChange(failure)
  const { code, problem } = failure
  if (code === "content_too_long" && Array.isArray(problem["violations"])) {
    return describeViolations(problem["violations"], numberOf)
  }
  return code === "idempotency_mismatch"
    ? "The first attempt has arrived after all, with what was written then. Look under Posts, before you save this as another post."
    : describeFailure(failure)
}

/** Fields of a part that show their own issues. */
const partFields: ReadonlySet<string> = new Set(["content", "platform_overrides", "media", "platforms"])

const timeFields: ReadonlySet<string> = new Set(["schedule", "schedule_at", "scheduled_at"])

const fields: ReadonlySet<string> = new Set([...partFields, ...timeFields, "tags"])

/** The form that shows the issues. */
interface ShownForm {
  readonly platforms: ReadonlyArray<LivePlatform>
  readonly showsSettings: boolean
}

const wholeForm: ShownForm = { platforms: livePlatforms, showsSettings: true }

const isOfSetting = ({ path }: Issue, { name, platform }: Pick<OwnSetting, "name" | "platform">): boolean =>
  path[0] === "platform_settings" && path[1] === platform && path[2] === name

/** Without a platform that has threads, no text helps. */
const forThreads = (issue: Issue, { platforms }: ShownForm): Issue =>
  issue.code !== "thread_refused" || platforms.some(hasThreads)
    ? issue
    : {
        path: issue.path,
        message: `${nameOf(issue.facts?.platform ?? "")} has no threads, so nobody would see this part. Remove it, or choose a platform with threads as well.`
      }

const isOfPart = ({ path }: Issue): boolean => path[0] === "thread" && typeof path[1] === "number"

/** Two issues can be the same for a person. */
const describeAll = (issues: ReadonlyArray<Issue>): ReadonlyArray<string> =>
  Array.from(new Set(issues.map(describeIssue)))

const describeUnder = (issues: ReadonlyArray<Issue>, ...names: ReadonlyArray<string>): ReadonlyArray<string> =>
  describeAll(issues.filter(({ path }) => names.includes(String(path[0]))))

const isFileDoubt = ({ code }: Issue): boolean => code === "file_doubtful"
const isTextDoubt = ({ code }: Issue): boolean => code === "text_unlinked"

const sortPart = (all: ReadonlyArray<Issue>) => {
  const issues = all.filter((issue) => !isTextDoubt(issue))
  const ofMedia = issues.filter(({ path }) => path[0] === "media")
  const media = ofMedia.filter((issue) => !isFileDoubt(issue))
  const other = issues.filter(({ path }) => !partFields.has(String(path[0]))).map(describeIssue)
  return {
    text: Array.from(new Set([...describeUnder(issues, "content", "platform_overrides"), ...other])),
    /** The links that readers will miss, although the text is accepted. */
    textDoubts: Array.from(new Set(all.filter(isTextDoubt).map(describeIssue))),
    platforms: describeUnder(issues, "platforms")[0],
    media: (index: number) => describeAll(media.filter(({ path }) => path[1] === index)),
    /** Warnings that a platform may refuse the file later. */
    mediaDoubts: (index: number) =>
      ofMedia.filter((issue) => isFileDoubt(issue) && issue.path[1] === index).map(describeIssue),
    allMedia: describeAll(media.filter(({ path }) => path.length === 1))
  }
}

export type PartIssues = ReturnType<typeof sortPart>

/** True if the form shows why the post can't be published now. Its time, and what ends by itself, do not matter. */
export const isRefusedNow = (issues: ReadonlyArray<Issue>): boolean =>
  issues.some(
    ({ code, path }) => code !== "file_processing" && code !== "text_blank" && !timeFields.has(String(path[0]))
  )

/** Leaves out files in processing, which ends by itself, and a missing text until the person tries to save. */
export const sortIssues = (all: ReadonlyArray<Issue>, showsBlank: boolean, form: ShownForm = wholeForm) => {
  const issues = all
    .filter(({ code }) => code !== "file_processing" && (showsBlank || code !== "text_blank"))
    .map((issue) => forThreads(issue, form))
  const settings = form.showsSettings ? shownSettingsFor(form.platforms) : []
  const isShown = (issue: Issue): boolean =>
    fields.has(String(issue.path[0])) || isOfPart(issue) || settings.some((own) => isOfSetting(issue, own))
  const ofPart = (index: number): ReadonlyArray<Issue> =>
    index === 0
      ? issues.filter(
          (issue) =>
            (partFields.has(String(issue.path[0])) && issue.path[0] !== "platforms") ||
            // A setting can have the text of the first part.
            (issue.path[0] === "platform_settings" && isTextDoubt(issue))
        )
      : issues
          .filter((issue) => isOfPart(issue) && issue.path[1] === index - 1)
          .map((issue) => ({ ...issue, path: issue.path.slice(2) }))
  return {
    part: (index: number) => sortPart(ofPart(index)),
    time: describeUnder(issues, ...timeFields)[0],
    platforms: describeUnder(issues, "platforms"),
    tags: describeUnder(issues, "tags")[0],
    /** All in one text, because a setting's field shows one. */
    setting: (own: Pick<OwnSetting, "name" | "platform">) =>
      describeAll(issues.filter((issue) => isOfSetting(issue, own) && !isTextDoubt(issue))).join(" ") || undefined,
    other: describeAll(issues.filter((issue) => !isShown(issue)))
  }
}
