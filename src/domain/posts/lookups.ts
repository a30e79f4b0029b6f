import { Result } from "effect"
import type { InvalidRequest } from "../errors.ts"
import { type CardNeeded, type FoundCards, planCards, type PostCards } from "./cardPlan.ts"
import { type FoundPictures, type PictureNeeded, planPictures } from "./picturePlan.ts"
import type { PlatformSettings } from "./platformSettings.ts"

/** The cards of a post's links and the pictures of its settings that were looked up so far. */
export interface Found {
  readonly cards: FoundCards
  readonly pictures: FoundPictures
}

export interface PostLookups extends PostCards {
  readonly settings: PlatformSettings
}

type CardArguments = Parameters<typeof planCards>
type PictureArguments = Parameters<typeof planPictures>

/** The parts of a post that are looked up when it is scheduled or approval is requested. */
export const planLookups = (
  rules: CardArguments[0],
  after: CardArguments[1] & PictureArguments[0],
  { cards, pictures }: Found,
  before?: NonNullable<CardArguments[3]> & NonNullable<PictureArguments[2]>
): Result.Result<PostLookups, CardNeeded | PictureNeeded | InvalidRequest> =>
  Result.flatMap(planCards(rules, after, cards, before), (carded) =>
    Result.map(planPictures(after, pictures, before), (settings) => ({ ...carded, settings }))
  )
