import type { PlatformRules, Rules } from "../platformRules.ts"
import { type Entity, findEntities } from "../text/entities.ts"

/** This much text around a place is searched for links and tags: the length of the longest domain name. */
const surroundings = 256

const moveBy = (distance: number, { end, start }: Entity): Entity => ({ start: distance + start, end: distance + end })

const findWord = (text: string, from: number, to: number): Entity => {
  const before = /^[^]*\s/.exec(text.slice(0, from))?.[0].length
  const behind = text.slice(to).search(/\s/)
  return { start: before ?? 0, end: behind === -1 ? text.length : to + behind }
}

const makeFindAll = (text: string, { find, isSlow }: NonNullable<PlatformRules["moreEntities"]>) => {
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
  const more = Object.values(rules).flatMap(({ moreEntities }) => moreEntities ?? [])
  const finders = [{ find: findEntities, isSlow: false }, ...more].map((own) => makeFindAll(text, own))
  return (from: number, to: number): ReadonlyArray<Entity> => {
    const word = findWord(text, from, to)
    return finders.flatMap((find) => find(from, to, word))
  }
}

export type FindEntities = ReturnType<typeof makeFindEntities>

/** Tells if a place in a text is inside one of many entities. */
export const insideOf = (entities: ReadonlyArray<Entity>) => {
  const marks = new Uint8Array(entities.reduce((last, { end }) => Math.max(last, end), 0))
  for (const { end, start } of entities) marks.fill(1, start + 1, end)
  return (place: number): boolean => marks[place] === 1
}
