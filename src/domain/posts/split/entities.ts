import twitterText from "twitter-text"
import { findBlueskyEntities } from "../text/blueskyEntities.ts"

/** As much text behind a cut as shows that a link or a tag goes on there: the longest name of a domain. */
const lookahead = 256

/** A link, mention, hashtag or cashtag, by UTF-16 indices. */
interface Entity {
  readonly start: number
  readonly end: number
}

/** The start of the word that a place is in. */
const wordStart = (text: string, at: number): number => /^[^]*\s/.exec(text.slice(0, at))?.[0].length ?? 0

const blueskyEntities = (text: string, start: number): ReadonlyArray<Entity> =>
  findBlueskyEntities(/^\S*/.exec(text.slice(start))?.[0] ?? "").map((entity) => ({
    start: start + entity.start,
    end: start + entity.end
  }))

/** Those of X in a part of a word: searching all of a long word would take too long. */
const twitterEntities = (text: string, from: number, to: number): ReadonlyArray<Entity> =>
  twitterText
    .extractEntitiesWithIndices(text.slice(from, to))
    .map(({ indices: [start, end] }) => ({ start: from + start, end: from + end }))

/**
 * Moves a cut of a piece before the link, mention, hashtag or cashtag, of either platform, that it is in. One that the piece begins
 * with is cut, as it does not fit.
 */
export const makeBeforeEntity = (text: string) => {
  let word: { readonly start: number; readonly entities: ReadonlyArray<Entity> } | undefined
  return (pieceStart: number, cut: number): number => {
    const start = wordStart(text, cut)
    if (word?.start !== start) word = { start, entities: blueskyEntities(text, start) }
    const entities = [
      ...word.entities,
      ...twitterEntities(text, Math.max(start, pieceStart), Math.min(text.length, cut + lookahead))
    ]
    const findAround = (at: number) =>
      entities.find((entity) => pieceStart < entity.start && entity.start < at && at < entity.end)
    let at = cut
    for (let found = findAround(at); found !== undefined; found = findAround(at)) at = found.start
    return at
  }
}
