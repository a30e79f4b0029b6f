import type { PlatformRules, Rules } from "../platformRules.ts"
import type { Entity } from "../text/entities.ts"

/** This much text around a place is searched for links and tags: the length of the longest domain name. */
const surroundings = 256

const moveBy = (distance: number, { end, start }: Entity): Entity => ({ start: distance + start, end: distance + end })

const findWord = (text: string, from: number, to: number): Entity => {
  const before = /^[^]*\s/.exec(text.slice(0, from))?.[0].length
  const behind = text.slice(to).search(/\s/)
  return { start: before ?? 0, end: behind === -1 ? text.length : to + behind }
}

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
 * Finds all platforms' links, mentions, hashtags and cashtags in and around a piece of a text. If searching all of a
 * long word takes too long, searches only nearby.
 */
export const makeFindEntities = (rules: Rules, text: string) => {
  const finders = Object.values(rules).map((own) => makeFindAll(text, own))
  return (from: number, to: number): ReadonlyArray<Entity> => {
    const word = findWord(text, from, to)
    return finders.flatMap((find) => find(from, to, word))
  }
}

export type FindEntities = ReturnType<typeof makeFindEntities>

export const isInside = (entities: ReadonlyArray<Entity>, cut: number): boolean =>
  entities.some(({ end, start }) => start < cut && cut < end)
