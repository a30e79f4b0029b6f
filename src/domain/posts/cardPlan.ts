import { Data, Result } from "effect"
import type { LinkCard } from "./linkCard.ts"
import { type PostPlan, type StoredPost, textFor } from "./postPlan.ts"
import { findBlueskyEntities } from "./text/blueskyEntities.ts"
import { blueskyPostText } from "./text/blueskyRichText.ts"

type Texts = Pick<PostPlan, "content" | "overrides" | "platforms"> & { readonly media?: ReadonlyArray<unknown> }

/**
 * The link that Bluesky shows as a card: the first one of the text that Bluesky gets. Undefined where the post is not for
 * Bluesky, or has no link, or has media in place of a card.
 */
export const cardLink = (post: Texts): string | undefined => {
  if (!post.platforms.includes("bluesky") || (post.media ?? []).length > 0) return undefined
  const entities = findBlueskyEntities(blueskyPostText(textFor("bluesky", post)))
  return entities.flatMap(({ feature }) => (feature._tag === "Link" ? [feature.uri] : []))[0]
}

/** Cards that were looked up, by link: null for a link that has none, undefined for one that was not looked up. */
export type FoundCards = Pick<ReadonlyMap<string, LinkCard | null>, "get">

/** A card has to be looked up before it can be decided what is stored. */
export class CardNeeded extends Data.TaggedError("CardNeeded")<{ readonly url: string }> {}

type Before = Pick<
  StoredPost,
  "approvalRequestedRevision" | "card" | "content" | "media" | "overrides" | "platforms" | "status"
>

/** A post as it is to be stored, and whether it is scheduled by that or approval is asked for. */
interface After extends Texts {
  readonly isFinal: boolean
}

/**
 * Decides which card a post has. It is looked up when the post is scheduled or approval is asked for, and again when the text
 * changes or had no place for a card before; else it stays as it was stored, also where there was none to be found. A draft has none.
 */
export const planCard = (
  after: After,
  found: FoundCards,
  before?: Before
): Result.Result<LinkCard | null, CardNeeded> => {
  const url = cardLink(after)
  if (url === undefined) return Result.succeed(null)
  const stored = before?.card?.url === url ? before.card : null
  if (!after.isFinal) return Result.succeed(stored)
  const wasFinal = before !== undefined && (before.status === "scheduled" || before.approvalRequestedRevision !== null)
  const isSameText = before !== undefined && textFor("bluesky", before) === textFor("bluesky", after)
  if (wasFinal && isSameText && cardLink(before) === url) return Result.succeed(stored)
  const card = found.get(url)
  return card === undefined ? Result.fail(new CardNeeded({ url })) : Result.succeed(card ?? stored)
}
