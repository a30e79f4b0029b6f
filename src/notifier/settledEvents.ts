import type { Author } from "../domain/people/actor.ts"
import { mayBeOutSince } from "../domain/publishing/attemptPlan.ts"
import { isUncounted, type TargetSettlement, tellsOpen } from "../domain/publishing/settlement.ts"
import type { EventDetails } from "../domain/webhooks/eventDetails.ts"
import type { NewEvent } from "../domain/webhooks/event.ts"
import type { RecordedEvent } from "../repo/events/Events.ts"
import { storable } from "../repo/postgres/storable.ts"
import type { EndedTarget, SettledPost } from "../repo/targets/Targets.ts"

const waitsForLimit = (settlement: TargetSettlement): boolean =>
  settlement._tag === "Retry" && settlement.isUncounted === true

/** No event if the post or the target is gone, or if the attempt waits for a limit again. */
const eventOfAttempt = ({ claim, settlement }: EndedTarget, post: SettledPost | undefined): NewEvent | undefined => {
  const { attempts, integration, platform } = claim
  const target = post?.targets.find((each) => each.platform === platform)
  if (post === undefined || target === undefined) return undefined
  const common = { post_id: post.postId, integration_id: integration.id, platform, status: target.status }
  switch (settlement._tag) {
    case "Published":
      return { type: "post.target.published", data: { ...common, url: target.url } }
    case "Failed": {
      const { code, retryable } = settlement.error
      return { type: "post.target.failed", data: { ...common, error_code: code, retryable } }
    }
    // Webhooks see a thread as one publication, which is reported with its last part.
    case "Continued": {
      const { part } = claim
      if (part === undefined) return undefined
      const { url } = settlement.publication
      const data = { ...common, part, url: url === null ? null : storable(url) }
      return { type: "post.target.part_published", data }
    }
    // The claim has already recorded that the target is being published.
    case "Making":
    case "Taken":
      return undefined
    case "Retry": {
      // Repeated waits for a limit would each record the same event.
      if (waitsForLimit(settlement) && claim.lastRateLimited === true) return undefined
      if (settlement.isOpen === true && !tellsOpen(settlement, claim.reconcileAttempts ?? 0)) return undefined
      const data = {
        ...common,
        attempt: attempts - Number(isUncounted(settlement)),
        error_code: settlement.error.code,
        retry_at: settlement.at
      }
      return { type: "post.target.retried", data }
    }
  }
}

const detailsOf = ({ claim, settlement }: EndedTarget): EventDetails => ({
  ...(claim.integration.username !== undefined && { account: claim.integration.username }),
  ...(settlement._tag === "Retry" &&
    mayBeOutSince({ sentAt: null, reconcileFrom: null, ...claim }) !== null && { looked: true }),
  ...(waitsForLimit(settlement) && { waited: true })
})

/** No event while the post has not ended. Leaves out the platform's messages, which may repeat the text. */
const eventOfEnd = ({ postId: post_id, status, targets }: SettledPost): NewEvent | undefined => {
  if (status !== "published" && status !== "failed") return undefined
  const ends = targets.map((target) => ({
    platform: target.platform,
    status: target.status,
    url: target.url,
    error_code: target.error?.code ?? null
  }))
  return { type: `post.${status}`, data: { post_id, status, targets: ends } }
}

/** `by` is the person who settled the target, if any. */
export const eventsOfSettlements = (
  posts: ReadonlyArray<SettledPost>,
  settled: ReadonlyArray<EndedTarget & { readonly by?: Author }>
): ReadonlyArray<RecordedEvent> => {
  const byId = new Map(posts.map((post) => [post.postId, post]))
  return [
    ...settled.flatMap((each): ReadonlyArray<RecordedEvent> => {
      const { by, claim } = each
      const event = eventOfAttempt(each, byId.get(claim.postId))
      if (event === undefined) return []
      return [{ workspaceId: claim.workspaceId, event, details: detailsOf(each), ...(by !== undefined && { by }) }]
    }),
    ...posts.flatMap((post): ReadonlyArray<RecordedEvent> => {
      const event = eventOfEnd(post)
      return event === undefined ? [] : [{ workspaceId: post.workspaceId, event }]
    })
  ]
}
