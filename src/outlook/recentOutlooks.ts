import { Duration } from "effect"
import type { WorkspaceId } from "../domain/ids.ts"
import { type CheckedOutlook, narrowOutlook } from "../domain/outlook/checkedOutlook.ts"

/** A check is remembered for this many times as long as it took, and none is made meanwhile: checks take a fifth. */
const restFactor = 4
const longestRest = Duration.toMillis(Duration.seconds(30))

/** The most posts that are remembered, of all workspaces, to bound memory. */
const maxPosts = 20_000

interface Recent {
  readonly outlook: CheckedOutlook
  readonly until: number
}

/** Times in milliseconds. */
export const makeRecentOutlooks = () => {
  const kept = new Map<WorkspaceId, Recent>()
  const resting = new Map<WorkspaceId, number>()

  const forget = (now: number) => {
    for (const [id, until] of resting) if (until <= now) resting.delete(id)
    for (const [id, { until }] of kept) if (until <= now) kept.delete(id)
    let posts = 0
    for (const { outlook } of kept.values()) posts += outlook.posts.length
    for (const [id, { outlook }] of kept) {
      if (posts <= maxPosts) return
      kept.delete(id)
      posts -= outlook.posts.length
    }
  }

  return {
    remember: (
      workspaceId: WorkspaceId,
      outlook: CheckedOutlook,
      { began, now }: { readonly began: number; readonly now: number }
    ) => {
      const until = now + Math.min(restFactor * (now - began), longestRest)
      kept.delete(workspaceId)
      kept.set(workspaceId, { outlook, until })
      resting.set(workspaceId, until)
      forget(now)
    },
    find: (workspaceId: WorkspaceId, hours: number, now: number): CheckedOutlook | undefined => {
      const recent = kept.get(workspaceId)
      return recent === undefined || recent.until <= now ? undefined : narrowOutlook(recent.outlook, hours)
    },
    /** How long the workspace has to wait for another check. */
    restOf: (workspaceId: WorkspaceId, now: number): number => Math.max(0, (resting.get(workspaceId) ?? 0) - now)
  }
}
