import { platformName } from "../../domain/plain/platforms.ts"
import { isMissing, type PostJson, type PostTargetJson, targetStatus } from "../api/postStatus.ts"

export interface Cursor {
  /** Counted from 1; undefined if all are published. */
  readonly part: number | undefined
  readonly parts: number
  readonly out: number
}

export const cursorOf = ({ parts }: Pick<PostTargetJson, "parts">): Cursor | undefined => {
  if (parts === null || parts.length < 2) return undefined
  const out = parts.filter(({ status }) => status === "published").length
  return { part: parts.find(({ status }) => status !== "published")?.part, parts: parts.length, out }
}

export const isHalfSent = (target: Pick<PostTargetJson, "parts">): boolean => {
  const cursor = cursorOf(target)
  return cursor !== undefined && cursor.out > 0 && cursor.out < cursor.parts
}

/** The platforms of a copy. Platforms on which different parts are missing can't share one. */
export const platformsToCopy = (
  { post_targets: targets }: Pick<PostJson, "post_targets">,
  target: PostTargetJson
): ReadonlyArray<PostTargetJson["integrations"]["platform"]> => {
  const missing = targets.filter(isMissing)
  return (missing.some(isHalfSent) ? [target] : missing).map(({ integrations }) => integrations.platform)
}

export const nameTarget = ({ integrations }: PostTargetJson): string => platformName(integrations.platform)

/** The published amount, such as `2 of 5`; `all` for a post without a thread. */
export const amountOf = (target: PostTargetJson): string => {
  const cursor = cursorOf(target)
  if (target.status === "published") return cursor === undefined ? "all" : `all ${cursor.parts}`
  return cursor === undefined || cursor.out === 0 ? "nothing" : `${cursor.out} of ${cursor.parts}`
}

/** Such as `2 of 5 are out`. */
export const describeAmountOut = (target: PostTargetJson): string =>
  `${amountOf(target)} ${cursorOf(target)?.out === 1 ? "is" : "are"} out`

/** Undefined unless a thread is partly published and the rest is not being sent. */
export const describeHalfSent = ({ post_targets: targets, status }: Pick<PostJson, "post_targets" | "status">) => {
  const half = status === "publishing" ? [] : targets.filter(isHalfSent)
  const [first, ...further] = half
  if (first === undefined) return undefined
  const others = [...further, ...targets.filter((target) => !half.includes(target))]
  const start = describeAmountOut(first)
  const all = others.map((target) => `${amountOf(target)} on ${nameTarget(target)}`)
  const sentence = targets.length === 1 ? start : [`${start} on ${nameTarget(first)}`, ...all].join(", ")
  const unknown = half.find((target) => targetStatus(target) === "unknown")
  const part = unknown === undefined ? undefined : cursorOf(unknown)?.part
  return part === undefined ? sentence : `${sentence}; part ${part} may be, too`
}

/** The part that is next, such as `part 2 of 5`. Undefined if the post has several platforms. */
export const describeUnderWay = ({ post_targets: targets }: Pick<PostJson, "post_targets">): string | undefined => {
  const [target, ...others] = targets
  const cursor = target === undefined || others.length > 0 ? undefined : cursorOf(target)
  return cursor?.part === undefined ? undefined : `part ${cursor.part} of ${cursor.parts}`
}

/**
 * If the error is about an earlier part, a person has found that part on the platform. The next part was never tried.
 */
export const nameRetry = (cursor: Cursor, { facts }: NonNullable<PostTargetJson["error"]>): string =>
  (facts?.part ?? cursor.part) === cursor.part ? `Try part ${cursor.part} again` : "Send the rest"
