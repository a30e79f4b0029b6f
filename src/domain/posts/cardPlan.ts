import { Data, Result } from "effect"
import { cardPlatforms, type LinkCard } from "./linkCard.ts"
import type { Rules } from "./platformRules.ts"
import { type PostPlan, type StoredPost, textFor } from "./postPlan.ts"
import { isPartFor, type Thread } from "./thread.ts"
import { withCards } from "./threadPlan.ts"

type Texts = Pick<PostPlan, "content" | "overrides" | "platforms"> & { readonly media?: ReadonlyArray<unknown> }

const textForCard = (post: Texts) => {
  const platform = cardPlatforms.find((each) => post.platforms.includes(each))
  return platform && { platform, text: textFor(platform, post) }
}

const hasMedia = ({ media = [] }: Pick<Texts, "media">): boolean => media.length > 0

/** Undefined if no platform shows cards, or there is no link. Beside media, only a link that can be quoted counts. */
export const cardLink = (rules: Rules, post: Texts): string | undefined => {
  const carded = textForCard(post)
  const own = carded && rules[carded.platform]
  return carded && (hasMedia(post) ? own?.quoteLink?.(carded.text) : own?.cardLink?.(carded.text))
}

/** Media take the place of a card, but not of a quote. */
export const fittingCard = (post: Pick<Texts, "media">, card: LinkCard | null | undefined): LinkCard | null =>
  card === undefined || card === null || (hasMedia(post) && card.record === undefined) ? null : card

/** Cards by link: null if the link has no card, undefined if it was not looked up. */
export type FoundCards = Pick<ReadonlyMap<string, LinkCard | null>, "get">

export class CardNeeded extends Data.TaggedError("CardNeeded")<{ readonly urls: ReadonlyArray<string> }> {}

interface Carded extends Texts {
  readonly card?: LinkCard | null
}

type Before = Pick<
  StoredPost,
  "approvalRequestedRevision" | "card" | "content" | "media" | "overrides" | "platforms" | "status" | "thread"
>

/** `isFinal` is true if the change schedules the post or requests approval. */
interface After extends Pick<PostPlan, "content" | "overrides" | "platforms" | "thread"> {
  readonly media?: ReadonlyArray<unknown>
  readonly isFinal: boolean
}

export interface PostCards {
  readonly card: LinkCard | null
  readonly thread: Thread
}

const cardedTexts = (post: Pick<After, "content" | "media" | "overrides" | "platforms" | "thread"> & Carded) => [
  post,
  ...post.thread.map(({ card, content, media, platform_overrides, platforms }): Carded => ({
    card,
    content,
    media,
    overrides: platform_overrides,
    platforms: post.platforms.filter((platform) => isPartFor(platform, { platforms }))
  }))
]

/**
 * A card is looked up when the post is scheduled or approval is requested, and again when the text changes or a card
 * becomes possible. Otherwise it stays as stored, even if none was found. A draft has no card of its own.
 */
const planCard = (
  rules: Rules,
  after: Carded,
  before: Carded | undefined,
  found: FoundCards,
  { isFinal, wasFinal }: { readonly isFinal: boolean; readonly wasFinal: boolean }
): { readonly card: LinkCard | null } | { readonly needed: string } => {
  const url = cardLink(rules, after)
  if (url === undefined) return { card: null }
  const stored = before?.card?.url === url ? fittingCard(after, before.card) : null
  if (!isFinal) return { card: stored }
  const isSameText = before !== undefined && textForCard(before)?.text === textForCard(after)?.text
  if (wasFinal && isSameText && cardLink(rules, before) === url) return { card: stored }
  const card = found.get(url)
  return card === undefined ? { needed: url } : { card: fittingCard(after, card) ?? stored }
}

/** Fails with all links that have to be looked up first. */
export const planCards = (
  rules: Rules,
  after: After,
  found: FoundCards,
  before?: Before
): Result.Result<PostCards, CardNeeded> => {
  const { isFinal } = after
  const wasFinal = before !== undefined && (before.status === "scheduled" || before.approvalRequestedRevision !== null)
  const former = before === undefined ? [] : cardedTexts(before)
  const planned = cardedTexts(after).map((text, index) =>
    planCard(rules, text, former[index], found, { isFinal, wasFinal })
  )
  const urls = new Set(planned.flatMap((each) => ("needed" in each ? [each.needed] : [])))
  if (urls.size > 0) return Result.fail(new CardNeeded({ urls: [...urls] }))
  const [card = null, ...cards] = planned.map((each) => ("card" in each ? each.card : null))
  return Result.succeed({ card, thread: withCards(after.thread, cards) })
}
