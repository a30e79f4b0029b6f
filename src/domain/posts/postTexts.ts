import type { ContentTooLong, Issue } from "../errors.ts"
import { factsOf, hasThreads, isLive } from "../plain/platforms.ts"
import { type LivePlatform, type Platform, whyInReview } from "../platform.ts"
import type { NewPost } from "./newPost.ts"
import type { PlatformRules, Rules } from "./platformRules.ts"
import type { PlatformSettings } from "./platformSettings.ts"
import { maxPostBytes } from "./postSize.ts"
import { settingText, showsText } from "../plain/shownText.ts"
import { type ChainPart, chainFor, isPartMeantFor, type Threaded, type ThreadPart } from "./thread.ts"
import { isBlank } from "../plain/blankText.ts"
import { blankText } from "./text/publishableText.ts"
import { explainRefusal, measureText } from "./text/textRules.ts"

export interface Texts extends Omit<Threaded<unknown>, "card"> {
  readonly platforms: ReadonlyArray<Platform>
  /** Without them, each platform shows its text. */
  readonly settings?: PlatformSettings
  /** The platforms that a stored post has already. They may have been enabled when they were chosen. */
  readonly kept?: ReadonlyArray<Platform>
}

export type PostTexts = Pick<
  NewPost,
  "content" | "group_id" | "media" | "platform_overrides" | "platform_settings" | "platforms" | "thread"
>

export const textsOf = ({
  content,
  media = [],
  platform_overrides = {},
  platform_settings = {},
  platforms,
  thread = []
}: PostTexts): Texts => ({
  content,
  platforms,
  media,
  thread,
  overrides: platform_overrides,
  settings: platform_settings
})

interface PlatformText extends ChainPart<unknown> {
  readonly platform: LivePlatform
  /** From 1; undefined without a thread. */
  readonly part: number | undefined
  /** The setting that has the text, if it takes the place of the post's. */
  readonly setting?: string
}

/** Only the parts that fit into the largest post, because measuring more would take too long. */
const measurable = (parts: ReadonlyArray<ChainPart<unknown>>): ReadonlyArray<ChainPart<unknown>> => {
  const measured: Array<ChainPart<unknown>> = []
  let length = 0
  for (const part of parts) {
    length += part.text.length
    if (length > maxPostBytes) break
    measured.push(part)
  }
  return measured
}

/** The texts that platforms show. */
export const platformTexts = (post: Texts): ReadonlyArray<PlatformText> =>
  post.platforms
    .filter(isLive)
    .filter((platform) => showsText(platform, post.settings ?? {}))
    .flatMap((platform) => {
      const ofSetting = settingText(platform, post.settings ?? {})
      return measurable(chainFor(platform, post)).map((text, index) => ({
        ...text,
        ...(index === 0 ? ofSetting : {}),
        platform,
        part: post.thread.length === 0 ? undefined : index + 1
      }))
    })

/** Texts with fewer UTF-16 code units on all platforms together are measured in milliseconds. */
const minStepped = 8_000

/** True if measuring the post's texts at once would hold up other work of the process. */
export const needsSteps = (rules: Rules, post: Texts): boolean => {
  let length = 0
  for (const { platform, text } of platformTexts(post)) {
    if (rules[platform]?.isMeasured?.(text) === false) length += text.length
  }
  return length >= minStepped
}

/** A step measures one text. */
export function* measureSteps(rules: Rules, post: Texts): Generator<void, void> {
  for (const { platform, text } of platformTexts(post)) {
    rules[platform]?.measure(text)
    yield
  }
}

export const textPath = ({ index, isOverride, platform, setting }: PlatformText): Issue["path"] =>
  setting === undefined
    ? [...(index === 0 ? [] : ["thread", index - 1]), ...(isOverride ? ["platform_overrides", platform] : ["content"])]
    : ["platform_settings", platform, setting]

type LengthViolation = ContentTooLong["violations"][number]

export const formatLengthViolation = ({ length, limit, part, platform, unit = "" }: LengthViolation): string =>
  `${platform} accepts a length of ${`${limit} ${unit}`.trim()}, but ${part === undefined ? "this text" : `part ${part}`} has ${length}`

export interface TooLong {
  readonly path: Issue["path"]
  readonly violation: LengthViolation
}

export const lengthIssues = (tooLong: ReadonlyArray<TooLong>): ReadonlyArray<Issue> =>
  tooLong.map(({ path, violation }) => ({
    path,
    message: formatLengthViolation(violation),
    code: "text_too_long",
    facts: violation
  }))

const blankIssue = (path: Issue["path"]): Issue => ({ path, message: blankText, code: "text_blank" })

export const findBlankTexts = ({
  content,
  media,
  thread
}: Pick<Texts, "content" | "media" | "thread">): ReadonlyArray<Issue> =>
  [{ content, media }, ...thread].flatMap((part, index) =>
    isBlank(part.content) && (part.media ?? []).length === 0
      ? [blankIssue([...(index === 0 ? [] : ["thread", index - 1]), "content"])]
      : []
  )

/**
 * Finds parts for platforms that the post is not for. Platforms of `stored` parts are allowed, so that a thread can be
 * sent back as it was read.
 */
export const findForeignPlatforms = (
  { platforms, thread }: Pick<Texts, "platforms" | "thread">,
  stored: ReadonlyArray<Pick<ThreadPart, "platforms">> = []
): ReadonlyArray<Issue> =>
  thread.flatMap((part, index) =>
    (part.platforms ?? []).flatMap((platform, place): ReadonlyArray<Issue> =>
      platforms.includes(platform) || stored.some((before) => before.platforms?.includes(platform) === true)
        ? []
        : [
            {
              path: ["thread", index, "platforms", place],
              message: "Expected one of the post's platforms",
              code: "platform_foreign",
              facts: { platform }
            }
          ]
    )
  )

/** Undefined unless the platform refuses the text regardless of its length. */
const refuse = (
  own: PlatformRules | undefined,
  { media, platform, text }: PlatformText,
  path: Issue["path"]
): Issue | undefined => {
  if (own === undefined) return undefined
  const refusal = explainRefusal(own, text, media.length > 0)
  if (refusal === undefined) return undefined
  if (refusal.code === "text_blank") return blankIssue(path)
  const { code, reason } = refusal
  return { path, message: `${platform} ${reason}`, code, facts: { platform, reason } }
}

/** Platforms that were enabled when the stored post was written. One that is chosen now is refused as unconnected. */
const refuseDisabled = (rules: Rules, { kept = [], platforms }: Texts): ReadonlyArray<Issue> =>
  platforms.flatMap((platform, index): ReadonlyArray<Issue> =>
    isLive(platform) && rules[platform] === undefined && kept.includes(platform)
      ? [
          {
            path: ["platforms", index],
            message: whyInReview(platform),
            code: "platform_in_review",
            facts: { platform }
          }
        ]
      : []
  )

/** True if a part's author wants it on the platform in particular. */
const isNamedFor = (platform: Platform, { platform_overrides = {}, platforms }: Texts["thread"][number]): boolean =>
  platforms?.includes(platform) === true || platform_overrides[platform] !== undefined

/** A platform without threads takes a thread's post only with a text of its own, and none of the parts. */
const refuseThreads = (rules: Rules, { overrides, platforms, thread }: Texts): ReadonlyArray<Issue> =>
  platforms.flatMap((platform): ReadonlyArray<Issue> => {
    if (hasThreads(platform) || !isLive(platform) || rules[platform] === undefined) return []
    const isAlone = overrides[platform] !== undefined
    const index = thread.findIndex((part) => (isAlone ? isNamedFor : isPartMeantFor)(platform, part))
    return index === -1
      ? []
      : [
          {
            path: ["thread", index],
            message: isAlone
              ? `${platform} has no threads and gets only the post's own text; leave it out of the parts' platforms and platform_overrides`
              : `${platform} has no threads; give it a text of its own in platform_overrides, which is then posted alone, or leave it out of the parts' platforms`,
            code: "thread_refused",
            facts: { platform }
          }
        ]
  })

/**
 * `findBlankTexts` reports blank content, and `refusePost` the text of a setting, so this does not. A text that a
 * setting replaces is not sent, so it is not judged.
 */
export const findTextFaults = (rules: Rules, post: Texts) => {
  const texts = platformTexts(post)
    .filter(({ setting }) => setting === undefined)
    .filter(({ isOverride, media, text }) => isOverride || !isBlank(text) || media.length > 0)
    .map((text) => {
      const own = rules[text.platform]
      const path = textPath(text)
      return { ...text, own, path, refusal: refuse(own, text, path) }
    })
  const refused = texts.flatMap(({ refusal }) => refusal ?? [])
  const tooLong = texts.flatMap(({ media, own, part, path, platform, refusal, text }): ReadonlyArray<TooLong> => {
    if (own === undefined || refusal?.code === "text_blank") return []
    const { length, limit, unit = factsOf(platform).textUnit, valid } = measureText(own, text, media.length > 0)
    // Characters that the platform refuses make a text invalid within its limit.
    if (valid || (refusal !== undefined && length <= limit)) return []
    return [{ path, violation: { platform, length, limit, unit, ...(part === undefined ? {} : { part }) } }]
  })
  const ofThread = post.platforms
    .filter(isLive)
    .flatMap((platform) => rules[platform]?.refuseThread?.(texts.filter((text) => text.platform === platform)) ?? [])
  return { refused: [...refused, ...refuseDisabled(rules, post), ...refuseThreads(rules, post), ...ofThread], tooLong }
}
