import twitterText from "twitter-text"
import { findBlueskyEntities } from "../text/blueskyEntities.ts"

/** A link, mention, hashtag or cashtag, by UTF-16 indices. */
export interface Entity {
  readonly start: number
  readonly end: number
}

/** As much text around a place as shows that a link or a tag is there: the longest name of a domain. */
const surroundings = 256

const moveBy = (distance: number, { end, start }: Entity): Entity => ({ start: distance + start, end: distance + end })

/** The places of the white space around a piece of a text. */
const findWord = (text: string, from: number, to: number): Entity => {
  const before = /^[^]*\s/.exec(text.slice(0, from))?.[0].length
  const behind = text.slice(to).search(/\s/)
  return { start: before ?? 0, end: behind === -1 ? text.length : to + behind }
}

/**
 * Finds the links, mentions, hashtags and cashtags of both platforms in a piece of a text and around it. X's are searched nearby
 * alone: searching all of a long word would take too long.
 */
export const makeFindEntities = (text: string) => {
  const ofBluesky = new Map<number, ReadonlyArray<Entity>>()
  return (from: number, to: number): ReadonlyArray<Entity> => {
    const { end, start } = findWord(text, from, to)
    const found =
      ofBluesky.get(start) ?? findBlueskyEntities(text.slice(start, end)).map((entity) => moveBy(start, entity))
    ofBluesky.set(start, found)
    const near = Math.max(start, from - surroundings)
    const ofTwitter = twitterText
      .extractEntitiesWithIndices(text.slice(near, Math.min(end, to + surroundings)))
      .map(({ indices }) => moveBy(near, { start: indices[0], end: indices[1] }))
    return [...found, ...ofTwitter]
  }
}

export type FindEntities = ReturnType<typeof makeFindEntities>

/** Whether a cut would go through one of these. */
export const isInside = (entities: ReadonlyArray<Entity>, cut: number): boolean =>
  entities.some(({ end, start }) => start < cut && cut < end)
