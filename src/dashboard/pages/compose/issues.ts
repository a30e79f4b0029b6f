import type { Issue as FieldIssue } from "../../../domain/errors.ts"
import { describeFailure, type Failure, possibleTimes } from "../../api/errors.ts"
import { isPlatform, platformName } from "../../../domain/plain/platforms.ts"

type Issue = typeof FieldIssue.Encoded

const nameOf = (name: string): string => (isPlatform(name) ? platformName(name) : name)

/** Tells which part of the post a platform's part is: both are numbered from 1. */
export type NumberOf = (platform: string, part: number) => number

/** What is wrong, for people: the service's own words with the names that people know. */
const describeIssue = (message: string, numberOf?: NumberOf): string => {
  const length = /^(\w+) takes (\d+), (?:this|part (\d+)) is (\d+)$/.exec(message)
  if (length !== null) {
    const [, platform = "", limit = "0", part, actual = "0"] = length
    const excess = Number(actual) - Number(limit)
    // Beside the text of a part nobody has to be told which one it is.
    const what = part === undefined || numberOf === undefined ? "This" : `Part ${numberOf(platform, Number(part))}`
    return `${nameOf(platform)} takes ${limit} characters. ${what} is ${excess} too many.`
  }
  const repeated = /^(\w+) refuses a text that it has/.exec(message)
  if (repeated !== null) {
    return `${nameOf(repeated[1] ?? "")} refuses this text: an earlier part has the same. Change a word of it.`
  }
  if (message === "Expected one of the post's platforms") {
    return "The post does not go there any more. Choose where this part goes, or remove it."
  }
  const tooMany = /^Expected a value with a length of at most (\d+)$/.exec(message)
  if (tooMany !== null) return `At most ${tooMany[1] ?? ""} are possible.`
  if (message === "Expected a text that is not blank") return "Write something, or add a picture or video."
  if (message.startsWith("Expected a time")) return possibleTimes
  if (message.endsWith("is not connected in this workspace")) {
    return `${nameOf(message.split(" ")[0] ?? "")} is not connected. Connect it under Accounts.`
  }
  return message.replace(/^\w+/, nameOf)
}

/** Why a post was not saved, for people. */
export const describeRefusal = (failure: Failure, numberOf: NumberOf = (_, part) => part): string => {
  if (failure._tag === "ConnectionError") return describeFailure(failure)
  if (failure.code === "content_too_long")
    return failure.detail
      .split("; ")
      .map((message) => describeIssue(message, numberOf))
      .join(" ")
  return failure.code === "idempotency_mismatch"
    ? "The first attempt has arrived after all, with what was written then. Look under Posts, before you save this as another post."
    : describeFailure(failure)
}

/** What is wrong with one part of a post, of which a post without a thread has one. */
export interface PartIssues {
  readonly text: ReadonlyArray<string>
  /** What is wrong with where it goes. */
  readonly platforms: string | undefined
  /** What is wrong with the file at a place. */
  readonly media: (index: number) => ReadonlyArray<string>
  /** What is wrong with all files together. */
  readonly allMedia: ReadonlyArray<string>
}

export interface Issues {
  /** What is wrong with the part at a place, from 0. */
  readonly part: (index: number) => PartIssues
  readonly time: string | undefined
  readonly platforms: ReadonlyArray<string>
  readonly tags: string | undefined
  readonly other: ReadonlyArray<string>
}

/** The fields of a part beside which the form shows what is wrong. */
const partFields: ReadonlySet<string> = new Set(["content", "platform_overrides", "media", "platforms"])

/** The fields beside which the form shows what is wrong. */
const fields: ReadonlySet<string> = new Set([...partFields, "schedule_at", "scheduled_at", "tags"])

const isProcessing = ({ message }: Issue) => message.startsWith("This file is still being processed")

const isBlankIssue = ({ message }: Issue) => message === "Expected a text that is not blank"

const isOfPart = ({ path }: Issue): boolean => path[0] === "thread" && typeof path[1] === "number"

/** Sorts what is wrong with a part. What is wrong with it as a whole stands at its text. */
const sortPart = (issues: ReadonlyArray<Issue>): PartIssues => {
  const under = (...names: ReadonlyArray<string>) =>
    issues.filter(({ path }) => names.includes(String(path[0]))).map(({ message }) => describeIssue(message))
  const media = issues.filter(({ path }) => path[0] === "media")
  const other = issues
    .filter(({ path }) => !partFields.has(String(path[0])))
    .map(({ message }) => describeIssue(message))
  return {
    text: Array.from(new Set([...under("content", "platform_overrides"), ...other])),
    platforms: under("platforms")[0],
    media: (index) => media.filter(({ path }) => path[1] === index).map(({ message }) => describeIssue(message)),
    allMedia: media.filter(({ path }) => path.length === 1).map(({ message }) => describeIssue(message))
  }
}

/** Sorts what is wrong by where it is shown. A text that is not there yet is no error before somebody wants to send it. */
export const sortIssues = (all: ReadonlyArray<Issue>, showsBlank: boolean): Issues => {
  const issues = all.filter((issue) => !isProcessing(issue) && (showsBlank || !isBlankIssue(issue)))
  const under = (...names: ReadonlyArray<string>) =>
    issues.filter(({ path }) => names.includes(String(path[0]))).map(({ message }) => describeIssue(message))
  const ofPart = (index: number): ReadonlyArray<Issue> =>
    index === 0
      ? issues.filter(({ path }) => partFields.has(String(path[0])) && path[0] !== "platforms")
      : issues
          .filter((issue) => isOfPart(issue) && issue.path[1] === index - 1)
          .map(({ message, path }) => ({ message, path: path.slice(2) }))
  return {
    part: (index) => sortPart(ofPart(index)),
    time: under("schedule_at", "scheduled_at")[0],
    platforms: under("platforms"),
    tags: under("tags")[0],
    other: issues
      .filter((issue) => !fields.has(String(issue.path[0])) && !isOfPart(issue))
      .map(({ message }) => describeIssue(message))
  }
}
