import { Effect } from "effect"
import type { DatabaseUnavailable, IdempotencyInFlight, IdempotencyMismatch } from "../domain/errors.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import type { CardNeeded, FoundCards } from "../domain/posts/cardPlan.ts"
import type { AtOnce } from "../repo/idempotency.ts"
import { makeWithCards } from "./linkCards.ts"
import { makeNotifyMissingMediaAccess, type ScheduledPost } from "./mediaAccess.ts"

/**
 * How a caller has a change written: once for each idempotency key. It may return what was written before. Where there is a key,
 * `atOnce` is tried before `write`.
 */
export type Writing<A> = <E>(write: Effect.Effect<A, E>, atOnce?: AtOnce<A>) => Effect.Effect<A, E | WritingError>

export type WritingError = IdempotencyInFlight | IdempotencyMismatch | DatabaseUnavailable

/**
 * Stores a post that may be scheduled by that: the card of its link is looked up before, and its workspace is notified afterwards
 * where its X account does not allow the post's files.
 */
export const makeScheduling = Effect.gen(function* () {
  const withCards = yield* makeWithCards
  const notifyMissingMediaAccess = yield* makeNotifyMissingMediaAccess

  return <A, E, R>(
    workspaceId: WorkspaceId,
    store: (found: FoundCards) => Effect.Effect<A, E | CardNeeded, R>,
    scheduledPostOf: (stored: A) => ScheduledPost
  ): Effect.Effect<A, E, R> =>
    Effect.tap(withCards(workspaceId, store), (stored) =>
      notifyMissingMediaAccess(workspaceId, scheduledPostOf(stored))
    )
})

export type Scheduling = Effect.Success<typeof makeScheduling>
