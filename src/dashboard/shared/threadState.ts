import { namePlatforms, platformNames } from "../../domain/plain/platforms.ts"
import type { Post, PostTarget } from "../../domain/posts/post.ts"
import { isMissing, isOutInPart, targetStatus } from "../api/postStatus.ts"

type PostJson = typeof Post.Encoded
type TargetJson = typeof PostTarget.Encoded

/** Where a thread stands on a platform. */
export interface Cursor {
  /** The part that is next, from 1; undefined once all are out. */
  readonly part: number | undefined
  readonly parts: number
  /** How many are out. */
  readonly out: number
}

/** Where a thread stands on a platform; undefined where the platform gets one post. */
export const cursorOf = ({ parts }: Pick<TargetJson, "parts">): Cursor | undefined => {
  if (parts === null || parts.length < 2) return undefined
  const out = parts.filter(({ status }) => status === "published").length
  return { part: parts.find(({ status }) => status !== "published")?.part, parts: parts.length, out }
}

/** Whether the beginning of a thread is out, and the rest is not. */
export const isHalfSent = (target: Pick<TargetJson, "parts">): boolean => {
  const cursor = cursorOf(target)
  return cursor !== undefined && cursor.out > 0 && cursor.out < cursor.parts
}

/** The platforms whose missing posts a copy takes over. Those that have different parts of a thread left can't share one. */
export const platformsToCopy = (
  { post_targets: targets }: Pick<PostJson, "post_targets">,
  target: TargetJson
): ReadonlyArray<TargetJson["integrations"]["platform"]> => {
  const missing = targets.filter(isMissing)
  return (missing.some(isHalfSent) ? [target] : missing).map(({ integrations }) => integrations.platform)
}

const nameTarget = ({ integrations }: TargetJson): string => platformNames[integrations.platform]

/** How much of a thread is out, as in `2 of 5`; `all` of a post that is no thread. */
const amountOf = (target: TargetJson): string => {
  const cursor = cursorOf(target)
  if (target.status === "published") return cursor === undefined ? "all" : `all ${cursor.parts}`
  return cursor === undefined || cursor.out === 0 ? "nothing" : `${cursor.out} of ${cursor.parts}`
}

/** How much of a half-sent thread is out, as in `2 of 5 are out`. */
export const describeOut = (target: TargetJson): string =>
  `${amountOf(target)} ${cursorOf(target)?.out === 1 ? "is" : "are"} out`

/** What there is to know first of a thread of which a part is out and the rest is not on its way; undefined for other posts. */
export const describeHalfSent = ({ post_targets: targets, status }: Pick<PostJson, "post_targets" | "status">) => {
  const half = status === "publishing" ? [] : targets.filter(isHalfSent)
  const [first, ...further] = half
  if (first === undefined) return undefined
  const others = [...further, ...targets.filter((target) => !half.includes(target))]
  const start = describeOut(first)
  const all = others.map((target) => `${amountOf(target)} on ${nameTarget(target)}`)
  const sentence = targets.length === 1 ? start : [`${start} on ${nameTarget(first)}`, ...all].join(", ")
  const unknown = half.find((target) => targetStatus(target) === "unknown")
  const part = unknown === undefined ? undefined : cursorOf(unknown)?.part
  return part === undefined ? sentence : `${sentence}; part ${part} may be, too`
}

/** What is out of a post that is not, such as one that waits for its time again. */
export interface OutMark {
  /** Such as `2 of 5 out`. */
  readonly words: string
  /** Such as `2/5`; undefined where that is not the same on each of its platforms. */
  readonly short: string | undefined
  /** A sentence with the platforms. */
  readonly full: string
}

/** What is out of a post, where there is space for a word alone; undefined where nothing is, or its status says it. */
export const outMarkOf = (post: Pick<PostJson, "post_targets" | "status">): OutMark | undefined => {
  const { post_targets: targets, status } = post
  if (status === "published" || status === "publishing" || !isOutInPart(post)) return undefined
  const published = targets.filter((target) => target.status === "published")
  const full = describeHalfSent(post) ?? describePublished(published)
  const [amount, ...others] = new Set(targets.map(amountOf))
  return amount !== undefined && others.length === 0
    ? { words: `${amount} out`, short: amount.replace(" of ", "/"), full }
    : { words: "Out in part", short: undefined, full }
}

/** Where a post is out that is not everywhere. */
export const describePublished = (published: ReadonlyArray<TargetJson>): string =>
  `Is out on ${namePlatforms(published.map(({ integrations }) => integrations.platform))}`

/** How much of a post is out on a platform, for people who delete the post; undefined where nothing is known to be. */
const describeStaying = (target: TargetJson): string | undefined => {
  const cursor = cursorOf(target)
  if (target.status !== "published") {
    return isHalfSent(target) ? `${amountOf(target)} parts on ${nameTarget(target)}` : undefined
  }
  const name = nameTarget(target)
  return cursor === undefined ? `the post on ${name}` : `all ${cursor.parts} parts on ${name}`
}

/** What a post that is deleted leaves on its platforms, whatever its status; undefined where nothing is known to be out. */
export const describeWhatStays = ({ post_targets }: Pick<PostJson, "post_targets">): string | undefined => {
  const out = post_targets.flatMap((target) => describeStaying(target) ?? [])
  return out.length === 0 ? undefined : `What is out stays there: ${out.join(", ")}.`
}

/** Which part is under way, where one platform alone tells. */
export const describeUnderWay = ({ post_targets: targets }: Pick<PostJson, "post_targets">): string | undefined => {
  const [target, ...others] = targets
  const cursor = target === undefined || others.length > 0 ? undefined : cursorOf(target)
  return cursor?.part === undefined ? undefined : `part ${cursor.part} of ${cursor.parts}`
}

const partPrefix = /^Part (\d+) of \d+:? /

/** A message without the part that it begins with. */
export const withoutPart = (message: string): string => message.replace(/^Part \d+ of \d+: /, "")

/**
 * What publishing a half-sent thread again does. A message that names another part than the next one says that a person found that
 * one to be out, so that the next was never tried.
 */
export const nameRetry = (cursor: Cursor, message: string): string => {
  const named = partPrefix.exec(message)?.[1]
  return named !== undefined && Number(named) !== cursor.part ? "Send the rest" : `Try part ${cursor.part} again`
}
