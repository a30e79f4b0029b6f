import type { PlatformRules, Rules } from "../platformRules.ts"
import type { Entity } from "../text/entities.ts"

/** As much text around a place as shows that a link or a tag is there: the longest name of a domain. */
const surroundings = 256

const moveBy = (distance: number, { end, start }: Entity): Entity => ({ start: distance + start, end: distance + end })

/** The places of the white space around a piece of a text. */
const findWord = (text: string, from: number, to: number): Entity => {
  const before = /^[^]*\s/.exec(text.slice(0, from))?.[0].length
  const behind = text.slice(to).search(/\s/)
  return { start: before ?? 0, end: behind === -1 ? text.length : to + behind }
}

/** Finds what a platform takes for a link or the like in the word around a piece of a text. */
const makeFindAll = (text: string, { entities: { find, isSlow } }: PlatformRules) => {
  const known = new Map<number, ReadonlyArray<Entity>>()
  return (from: number, to: number, { end, start }: Entity): ReadonlyArray<Entity> => {
    if (isSlow) {
      const near = Math.max(start, from - surroundings)
      return find(text.slice(near, Math.min(end, to + surroundings))).map((entity) => moveBy(near, entity))
    }
    const found = known.get(start) ?? find(text.slice(start, end)).map((entity) => moveBy(start, entity))
    known.set(start, found)
    return found
  }
}

/**
 * Finds the links, mentions, hashtags and cashtags of all platforms in a piece of a text and around it. If searching all of a long
 * word takes too long, only the text nearby is searched.
 */
export const makeFindEntities = (rules: Rules, text: string) => {
  const finders = Object.values(rules).map((own) => makeFindAll(text, own))
  return (from: number, to: number): ReadonlyArray<Entity> => {
    const word = findWord(text, from, to)
    return finders.flatMap((find) => find(from, to, word))
  }
}

export type FindEntities = ReturnType<typeof makeFindEntities>

/** Whether a cut would go through one of these. */
export const isInside = (entities: ReadonlyArray<Entity>, cut: number): boolean =>
  entities.some(({ end, start }) => start < cut && cut < end)
