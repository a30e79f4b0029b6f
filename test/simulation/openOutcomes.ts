import { Schema } from "effect"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { maxAttempts } from "../../src/domain/publishing/retryPolicy.ts"
import type { TargetRow } from "./rows.ts"
import { hour } from "./world.ts"

/** The name in a stored post of what its platform made before the post was published, and can be asked about. */
const madeBefore: Partial<Record<LivePlatform, string>> = {
  threads: "container",
  instagram: "container",
  facebook: "post",
  youtube: "video",
  tiktok: "upload"
}

const isStored = Schema.is(Schema.Record(Schema.String, Schema.Unknown))

/**
 * A container ends after a day and is asked about every quarter of an hour; its platform may not answer for some hours
 * more. A post on Facebook or YouTube is decided sooner.
 */
const longestOpen = 29 * hour

/** True if processes died in so many attempts that the post is not even asked for, because it may be the cause. */
export const isGivenUp = ({ attempts }: Pick<TargetRow, "attempts">) => attempts > maxAttempts

/** True if the platform can be asked what became of a post that was sent. */
const isTold = ({ platform, prepared }: Pick<TargetRow, "platform" | "prepared">): boolean => {
  const name = madeBefore[platform]
  return name !== undefined && isStored(prepared) && prepared[name] !== undefined
}

const hasTime = Schema.is(Schema.Struct({ madeAt: Schema.String }))

/** True if a container has ended, which its platform then forgets together with what became of it. */
const isForgotten = ({ prepared }: Pick<TargetRow, "prepared">, now: number): boolean =>
  hasTime(prepared) && now - Date.parse(prepared.madeAt) > 24 * hour

/** True if the send was the last that is tried, whose answer may leave the outcome to a person. */
const isLast = ({ attempts }: Pick<TargetRow, "attempts">): boolean => attempts === maxAttempts

/** True if a post that a person ordered again was not sent, because its platform had lost what it was made of. */
const isHeldBack = ({ error }: Pick<TargetRow, "error">): boolean =>
  error?.message.includes("so it was not sent again") === true

type Outcome = Pick<TargetRow, "attempts" | "dueSince" | "error" | "platform" | "prepared" | "sentAt" | "status">

/**
 * An outcome that must not be. No outcome is left to a person while its platform tells it, and none is open for longer
 * than its platform may need. Undefined for other changes.
 */
export const brokenOutcome = (before: Outcome | undefined, after: Outcome, now: number): string | undefined => {
  const { error, status } = after
  if (before?.sentAt == null || !isTold(before) || (status !== "failed" && status !== "published")) return undefined
  if (before.status === "failed" || before.status === "published") return undefined
  if (isGivenUp(before)) return undefined
  if (status === "failed" && error?.code === "outcome_unknown") {
    const isExcused = isForgotten(before, now) || isHeldBack(after) || isLast(before)
    return isExcused ? undefined : "has an unknown outcome, which its platform tells"
  }
  // A failed post that a person orders again is due since then, and was not open in the meantime.
  const open = now - Math.max(before.sentAt, before.dueSince ?? 0)
  return open > longestOpen ? `was open for ${(open / hour).toFixed(1)} hours` : undefined
}
