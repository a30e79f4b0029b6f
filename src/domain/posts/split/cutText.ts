import { graphemesOf } from "../text/textLength.ts"
import { type Cut, type CutLevel, findCuts, isAtLeast } from "./cuts.ts"
import type { Rules } from "../platformRules.ts"
import type { Entity } from "../text/entities.ts"
import { type FindEntities, insideOf, makeFindEntities } from "./entities.ts"
import { findFurthest } from "./furthest.ts"
import { lazyList } from "./lazyList.ts"

/** By UTF-16 indices. */
interface Piece {
  readonly start: number
  readonly end: number
}

type Fits = (text: string, piece: number) => boolean

/** `first` is the index of the first cut after `start` in the list of cuts. */
interface Begin {
  readonly start: number
  readonly first: number
}

/** In a longer word, only this many UTF-16 code units are searched for entities. */
const maxSearched = 1000
/** Every entity of up to this length fits on every platform. */
const certainlyFits = 100

const levels: ReadonlyArray<CutLevel> = ["paragraph", "line", "sentence"]

const makeWordCuts = (text: string, findEntities: FindEntities, fits: Fits) => {
  const cutAt = lazyList(findCuts(text, findEntities))
  const endAt = (index: number) => cutAt(index)?.end
  let found = { start: -1, piece: -1, last: -1 }

  /** The last cut up to which a piece fits; less than `first` if none. */
  const furthest = ({ first, start }: Begin, piece: number): number => {
    // `findCutBefore` has often searched this piece already.
    if (found.start === start && found.piece === piece) return found.last
    const last = findFurthest(first, {
      text: text.slice(start),
      endAt: (index) => {
        const end = endAt(index)
        return end === undefined ? undefined : end - start
      },
      fits: (tried) => fits(tried, piece)
    })
    found = { start, piece, last }
    return last
  }

  const endsAt = (index: number, level: CutLevel): boolean => {
    const cut = cutAt(index)
    return cut !== undefined && isAtLeast(cut, level)
  }

  /**
   * A cut at `level` before `last`, if the next piece can then reach a cut at `level` after `last`; otherwise
   * undefined.
   */
  const findCutBefore = (first: number, last: number, level: CutLevel, piece: number): Cut | undefined => {
    let before = last - 1
    while (before >= first && !endsAt(before, level)) before--
    const cut = before < first ? undefined : cutAt(before)
    if (cut === undefined) return undefined
    const reached = furthest({ start: cut.next, first: before + 1 }, piece + 1)
    for (let index = last + 1; index <= reached; index++) if (endsAt(index, level)) return cut
    return undefined
  }

  return {
    wordEnd: (first: number): number => endAt(first) ?? text.length,

    /** Undefined if the first word does not fit. */
    choose: (begin: Begin, piece: number): Cut | undefined => {
      const { first } = begin
      const last = furthest(begin, piece)
      if (last < first) return undefined
      for (const level of levels) {
        if (endsAt(last, level)) break
        const cut = findCutBefore(first, last, level, piece)
        if (cut !== undefined) return cut
      }
      return cutAt(last)
    },

    behind: (end: number, first: number): Begin => {
      let place = first
      while ((endAt(place) ?? Infinity) < end) place++
      const cut = cutAt(place)
      return cut?.end === end ? { start: cut.next, first: place + 1 } : { start: end, first: place }
    }
  }
}

/**
 * Cuts a trimmed text into pieces that fit, at the greatest unit possible: between paragraphs, else lines, sentences or
 * words. A unit that fits into a piece is not cut. A word that does not fit is cut, but not inside a link, a mention, a
 * hashtag or a cashtag that fits.
 */
export function* cutText(rules: Rules, text: string, fits: Fits): Generator<Piece> {
  const findEntities = makeFindEntities(rules, text)
  const cuts = makeWordCuts(text, findEntities, fits)

  /** Cuts as late as the piece fits, and at least one character after its start. */
  const cutWord = ({ first, start }: Begin, piece: number): number => {
    const word = text.slice(start, cuts.wordEnd(first))
    const fitsInto = (tried: string) => fits(tried, piece)
    const whole = findEntities(start, start + Math.min(word.length, maxSearched)).filter(
      (entity) =>
        entity.start >= start &&
        (entity.end - entity.start <= certainlyFits || fitsInto(text.slice(entity.start, entity.end)))
    )
    const furthest = (uncut: ReadonlyArray<Entity>) => {
      const ends = graphemesOf(word).map(({ index, segment }) => index + segment.length)
      const isInside = insideOf(uncut)
      const endAt = lazyList(ends.filter((end) => !isInside(start + end)))
      return endAt(findFurthest(0, { text: word, endAt, fits: fitsInto }))
    }
    const end = furthest(whole) ?? furthest([]) ?? graphemesOf(word).next().value?.segment.length
    return start + (end ?? word.length)
  }

  let begin: Begin = { start: 0, first: 0 }
  for (let piece = 0; begin.start < text.length; piece++) {
    const end = cuts.choose(begin, piece)?.end ?? cutWord(begin, piece)
    yield { start: begin.start, end }
    begin = cuts.behind(end, begin.first)
  }
}
