import { DateTime, Duration } from "effect"
import { counted } from "../counted.ts"
import type { CostEstimate } from "../posts/platformRules.ts"
import { countStates, type OutlookCounts, type OutlookPost } from "./outlook.ts"

export interface CheckedOutlook {
  /** The time of the check. */
  readonly from: DateTime.Utc
  readonly until: DateTime.Utc
  /** True while publishing is held after a restore. */
  readonly isHeld: boolean
  readonly counts: OutlookCounts
  readonly costEstimate: CostEstimate | null
  /** The earliest first. */
  readonly posts: ReadonlyArray<OutlookPost>
  /** The cost of each of the posts. */
  readonly usd: ReadonlyArray<number>
  /** The number of posts in the window that were not checked. */
  readonly unseen: number
}

export const estimateCost = (usd: ReadonlyArray<number>): CostEstimate | null => {
  const charged = usd.filter((each) => each > 0)
  return charged.length === 0
    ? null
    : {
        usd: Math.round(charged.reduce((sum, each) => sum + each, 0) * 1000) / 1000,
        note: `${counted(charged.length, "post")} by list prices, without files`
      }
}

/** The part of an outlook with the next hours. Undefined if it does not reach as far. */
export const narrowOutlook = (outlook: CheckedOutlook, hours: number): CheckedOutlook | undefined => {
  const until = DateTime.addDuration(outlook.from, Duration.hours(hours))
  if (DateTime.Equivalence(until, outlook.until)) return outlook
  if (outlook.unseen > 0 || DateTime.isGreaterThan(until, outlook.until)) return undefined
  const first = outlook.posts.findIndex((post) => DateTime.isGreaterThan(post.scheduled_at, until))
  const end = first === -1 ? outlook.posts.length : first
  const posts = outlook.posts.slice(0, end)
  const usd = outlook.usd.slice(0, end)
  return { ...outlook, until, posts, usd, counts: countStates(posts, 0), costEstimate: estimateCost(usd) }
}
