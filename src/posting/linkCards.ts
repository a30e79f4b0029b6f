import { Duration, Effect, Option, PartitionedSemaphore } from "effect"
import { LinkCards } from "../cards/LinkCards.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import { CardNeeded, type FoundCards } from "../domain/posts/cardPlan.ts"
import type { LinkCard } from "../domain/posts/linkCard.ts"

/** Rounds of lookups for one request. More than one is needed where somebody else changes the post meanwhile. */
const maxLookups = 2

/** Links of one post that are looked up at once. */
const concurrency = 8

/** Cards that are looked up at once of posts that nobody schedules yet, so that those that are scheduled find free turns. */
const unscheduledLookups = 8
const unscheduledTimeout = Duration.seconds(10)

/** Looks up the card of a link that may never be scheduled. Null where there is none, or it can't be told in time; never fails. */
export const makeFindCard = Effect.gen(function* () {
  const lookUp = yield* LinkCards
  const turns = yield* PartitionedSemaphore.make<WorkspaceId>({ permits: unscheduledLookups })
  return (workspaceId: WorkspaceId, url: string | undefined): Effect.Effect<LinkCard | null> =>
    url === undefined
      ? Effect.succeed(null)
      : Effect.map(
          Effect.timeoutOption(turns.withPermit(workspaceId)(lookUp(workspaceId, url)), unscheduledTimeout),
          Option.getOrNull
        )
})

const isCardNeeded = (error: unknown): error is CardNeeded => error instanceof CardNeeded

const noCards: FoundCards = { get: () => null }

/**
 * Runs what stores a post, with the cards that were looked up so far. Where it needs others it fails before it has changed
 * anything, and runs again with those cards: no transaction is open and no connection is held while a page is fetched, and a
 * repeated request that is answered from what was stored before fetches nothing.
 */
export const makeWithCards = Effect.gen(function* () {
  const lookUp = yield* LinkCards

  return <A, E, R>(
    workspaceId: WorkspaceId,
    store: (found: FoundCards) => Effect.Effect<A, E | CardNeeded, R>
  ): Effect.Effect<A, E, R> => {
    const found = new Map<string, LinkCard | null>()
    const run = (left: number): Effect.Effect<A, E, R> =>
      Effect.catchIf(store(left === 0 ? noCards : found), isCardNeeded, ({ urls }) =>
        Effect.andThen(
          Effect.forEach(urls, (url) => Effect.map(lookUp(workspaceId, url), (card) => found.set(url, card)), {
            concurrency,
            discard: true
          }),
          run(left - 1)
        )
      )
    return Effect.suspend(() => run(maxLookups))
  }
})
