import { type FindEntities, isInside } from "./entities.ts"

/** Letters of scripts that put no spaces between words. */
const spaceless = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u
/** The same, and the punctuation that goes with them. */
const besideSpaceless =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\u3000-\u303f\uff01-\uff65]/u
/** What does not begin a line: closing punctuation, and signs that belong to the character before them. */
const bound = /^[\p{Pe}\p{Pf}\p{Po}\p{Pd}\p{M}\p{Lm}]/u
/** What does not end a line: opening punctuation, and signs that belong to the character after them. */
const binding = /[\p{Ps}\p{Pi}#＃@＠$]$/u

/** A dictionary finds the words of a text as a whole. Bounds the time for those that are read. */
const maxPiece = 1000

const segmenter = new Intl.Segmenter("und", { granularity: "word" })

const isCut = (before: string, after: string): boolean =>
  (besideSpaceless.test(before.slice(-2)) || besideSpaceless.test(after.slice(0, 2))) &&
  !bound.test(after) &&
  !binding.test(before)

/** A piece of a text, by UTF-16 indices. */
interface Piece {
  readonly from: number
  readonly to: number
}

/**
 * Where in a piece without white space a word ends and another begins, in ascending order, but for such places in links, mentions,
 * hashtags and cashtags.
 */
export function* findWordEnds(text: string, { from, to }: Piece, findEntities: FindEntities): Generator<number> {
  let read = from
  let before = ""
  while (read < to) {
    const piece = text.slice(read, Math.min(to, read + maxPiece))
    const end = read + piece.length
    if (!spaceless.test(piece)) {
      before = ""
      read = end
      continue
    }
    const entities = findEntities(read, end)
    const words = Array.from(segmenter.segment(piece), ({ segment }) => segment)
    // The last word may go on behind the piece, so the next one begins with it.
    if (end < to && words.length > 1) words.pop()
    for (const word of words) {
      if (before !== "" && isCut(before, word) && !isInside(entities, read)) yield read
      read += word.length
      before = word
    }
  }
}
