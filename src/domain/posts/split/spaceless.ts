import { type FindEntities, insideOf } from "./entities.ts"

/** Letters of scripts that put no spaces between words. */
const spaceless = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u
/** The same letters, and their punctuation. */
const besideSpaceless =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\u3000-\u303f\uff01-\uff65]/u
/** Must not begin a line: closing punctuation, and signs that belong to the preceding character. */
const bound = /^[\p{Pe}\p{Pf}\p{Po}\p{Pd}\p{M}\p{Lm}]/u
/** Must not end a line: opening punctuation, and signs that belong to the following character. */
const binding = /[\p{Ps}\p{Pi}#＃@＠$]$/u

/** The segmenter gets at most this much text at once, because it segments a whole text even if few words are read. */
const maxPiece = 1000

const segmenter = new Intl.Segmenter("und", { granularity: "word" })

const isCut = (before: string, after: string): boolean =>
  (besideSpaceless.test(before.slice(-2)) || besideSpaceless.test(after.slice(0, 2))) &&
  !bound.test(after) &&
  !binding.test(before)

/** By UTF-16 indices. */
interface Piece {
  readonly from: number
  readonly to: number
}

/**
 * Finds word boundaries in a piece without white space, in ascending order, except inside links, mentions, hashtags and
 * cashtags.
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
    const isInside = insideOf(findEntities(read, end))
    const words = Array.from(segmenter.segment(piece), ({ segment }) => segment)
    // The last word may continue beyond the piece, so the next piece begins with it.
    if (end < to && words.length > 1) words.pop()
    for (const word of words) {
      if (before !== "" && isCut(before, word) && !isInside(read)) yield read
      read += word.length
      before = word
    }
  }
}
