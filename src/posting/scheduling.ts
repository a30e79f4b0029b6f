import { Effect } from "effect"
import { LinkCards } from "../cards/LinkCards.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import { CardNeeded, type FoundCards } from "../domain/posts/cardPlan.ts"
import type { LinkCard } from "../domain/posts/linkCard.ts"
import type { Once } from "../repo/idempotency.ts"
import { makeNotifyMissingMediaAccess, type ScheduledPost } from "./mediaAccess.ts"

/** Rounds of lookups per request. A second round is needed if somebody changes the post at the same time. */
const maxLookups = 2

const concurrency = 8

const isCardNeeded = (error: unknown): error is CardNeeded => error instanceof CardNeeded

const noCards: FoundCards = { get: () => null }

/**
 * Stores a post that may become scheduled. `store` receives the cards found so far. If it needs more cards, it fails
 * before any change, and runs again after their lookup. So no transaction is open during a fetch, and a replayed
 * request fetches nothing. Then notifies the workspace if its X account does not allow the post's files.
 */
export const makeScheduling = Effect.gen(function* () {
  const lookUp = yield* LinkCards
  const notifyMissingMediaAccess = yield* makeNotifyMissingMediaAccess

  return <A, E, R>(
    workspaceId: WorkspaceId,
    store: (found: FoundCards) => Effect.Effect<Once<A>, E | CardNeeded, R>,
    scheduledPostOf: (stored: A) => ScheduledPost
  ): Effect.Effect<Once<A>, E, R> => {
    const found = new Map<string, LinkCard | null>()
    const run = (left: number): Effect.Effect<Once<A>, E, R> =>
      Effect.catchIf(store(left === 0 ? noCards : found), isCardNeeded, ({ urls }) =>
        Effect.andThen(
          Effect.forEach(urls, (url) => Effect.map(lookUp(workspaceId, url), (card) => found.set(url, card)), {
            concurrency,
            discard: true
          }),
          run(left - 1)
        )
      )
    return Effect.tap(
      Effect.suspend(() => run(maxLookups)),
      ({ result }) => notifyMissingMediaAccess(workspaceId, scheduledPostOf(result))
    )
  }
})

export type Scheduling = Effect.Success<typeof makeScheduling>
