import { Effect, Result } from "effect"
import { LinkCards } from "../cards/LinkCards.ts"
import { KeptPictures } from "../cards/KeptPictures.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import { CardNeeded } from "../domain/posts/cardPlan.ts"
import type { LinkCard } from "../domain/posts/linkCard.ts"
import type { Found } from "../domain/posts/lookups.ts"
import { PictureNeeded, type WantedPicture } from "../domain/posts/picturePlan.ts"
import type { KeptPicture } from "../domain/posts/platformSettings.ts"
import type { Once } from "../repo/idempotency.ts"
import { makeNotifyMissingMediaAccess, type ScheduledPost } from "./mediaAccess.ts"
import { MeasuresNeeded, MeasureTexts } from "./MeasureTexts.ts"

/** Rounds of preparing per request: measures, cards, pictures, and one more if somebody changes the post meanwhile. */
const maxRounds = 4

const concurrency = 8

type Need = CardNeeded | PictureNeeded | MeasuresNeeded

const isNeed = (error: unknown): error is Need =>
  error instanceof CardNeeded || error instanceof PictureNeeded || error instanceof MeasuresNeeded

/** A plan's means that take time. */
export interface Prepared {
  readonly found: Found
  readonly requireMeasures: MeasureTexts["Service"]["requireMeasures"]
}

/** For the last round, which needs nothing more. */
const unprepared: Prepared = {
  found: { cards: { get: () => null }, pictures: { get: () => "The picture could not be fetched in time; try again" } },
  requireMeasures: () => Result.void
}

/**
 * Stores a post that may become scheduled. `store` receives the cards and pictures found so far. If it needs more, or
 * measures of the texts, it fails before any change, and runs again once it has them. So no transaction is open during
 * a fetch or a wait for a turn, and a replayed request fetches nothing. Then notifies the workspace if its X account
 * does not allow the post's files.
 */
export const makeScheduling = Effect.gen(function* () {
  const lookUp = yield* LinkCards
  const keepPicture = yield* KeptPictures
  const { measure, requireMeasures } = yield* MeasureTexts
  const notifyMissingMediaAccess = yield* makeNotifyMissingMediaAccess

  return <A, E, R>(
    workspaceId: WorkspaceId,
    store: (prepared: Prepared) => Effect.Effect<Once<A>, E | Need, R>,
    scheduledPostOf: (stored: A) => ScheduledPost
  ): Effect.Effect<Once<A>, E, R> => {
    const cards = new Map<string, LinkCard | null>()
    const findCards = (urls: ReadonlyArray<string>) =>
      Effect.forEach(urls, (url) => Effect.map(lookUp(workspaceId, url), (card) => cards.set(url, card)), {
        concurrency,
        discard: true
      })
    const pictures = new Map<string, KeptPicture | string>()
    const keepPictures = (wanted: ReadonlyArray<WantedPicture>) =>
      Effect.forEach(
        wanted,
        (each) => Effect.map(keepPicture(workspaceId, each), (found) => pictures.set(each.url, found)),
        { concurrency, discard: true }
      )
    const prepare = (need: Need) => {
      switch (need._tag) {
        case "CardNeeded":
          return findCards(need.urls)
        case "PictureNeeded":
          return keepPictures(need.pictures)
        case "MeasuresNeeded":
          return measure(need.texts)
      }
    }
    const run = (left: number): Effect.Effect<Once<A>, E, R> =>
      Effect.catchIf(store(left === 0 ? unprepared : { found: { cards, pictures }, requireMeasures }), isNeed, (need) =>
        Effect.andThen(prepare(need), run(left - 1))
      )
    return Effect.tap(
      Effect.suspend(() => run(maxRounds)),
      ({ result }) => notifyMissingMediaAccess(workspaceId, scheduledPostOf(result))
    )
  }
})

export type Scheduling = Effect.Success<typeof makeScheduling>
