import type { FindEntities } from "./entities.ts"
import { findWordEnds } from "./spaceless.ts"

/** In ascending order. */
export const cutLevels = ["word", "sentence", "line", "paragraph"] as const
export type CutLevel = (typeof cutLevels)[number]

/** By UTF-16 indices. The white space between `end` and `next` belongs to neither side. */
export interface Cut {
  readonly end: number
  readonly next: number
  readonly level: CutLevel
}

export const isAtLeast = (cut: Cut, level: CutLevel): boolean =>
  cutLevels.indexOf(cut.level) >= cutLevels.indexOf(level)

const segmenter = new Intl.Segmenter("und", { granularity: "sentence" })

/**
 * Tells if a sentence begins at an index. Must be called with ascending indices, because it reads the sentences once.
 */
const makeBeginsSentence = (text: string) => {
  const sentences = segmenter.segment(text)[Symbol.iterator]()
  let begin = 0
  return (index: number): boolean => {
    while (begin < index) begin = sentences.next().value?.index ?? Infinity
    return begin === index
  }
}

/** A mark or a joiner after white space belongs to the white space's last character, so the text is not cut there. */
const joinsBefore = /[\p{M}\p{Emoji_Modifier}\u200d]/uy

const joins = (text: string, index: number): boolean => {
  joinsBefore.lastIndex = index
  return joinsBefore.test(text)
}

const countLineBreaks = (space: string): number =>
  space.includes("\u2029") ? 2 : (space.match(/\r\n|[\n\r\v\f\u0085\u2028]/g)?.length ?? 0)

/** Finds the places where a text can be cut between words, in ascending order. The last one is the text's end. */
export function* findCuts(text: string, findEntities: FindEntities): Generator<Cut> {
  const beginsSentence = makeBeginsSentence(text)
  const withLevel = (end: number, next: number): Cut => {
    const lineBreaks = countLineBreaks(text.slice(end, next))
    if (lineBreaks > 0) return { end, next, level: lineBreaks > 1 ? "paragraph" : "line" }
    return { end, next, level: beginsSentence(next) ? "sentence" : "word" }
  }
  let read = 0
  for (const { 0: space, index } of text.matchAll(/\s+/g)) {
    const next = index + space.length
    if (joins(text, next)) continue
    for (const end of findWordEnds(text, { from: read, to: index }, findEntities)) yield withLevel(end, end)
    yield withLevel(index, next)
    read = next
  }
  for (const end of findWordEnds(text, { from: read, to: text.length }, findEntities)) yield withLevel(end, end)
  yield { end: text.length, next: text.length, level: "paragraph" }
}
