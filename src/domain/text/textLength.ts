import twitterText from "twitter-text"

const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" })

/** Counts what a reader sees as characters: an emoji of many code points is one grapheme. */
export const countGraphemes = (text: string): number =>
  Iterator.from(segmenter.segment(text)).reduce((count) => count + 1, 0)

const encoder = new TextEncoder()

/** The length in UTF-8. */
export const byteLength = (text: string): number => encoder.encode(text).byteLength

/** In UTF-16 code units: the longest URL that X counts as a link, plus as much text as a post may have beside it. */
const maxParsedLength = 4096 + 280
/** twitter-text takes quadratic time, and is slowest next to characters that no URL has. */
const maxNonAscii = 1000
/** How much of a long text is searched for links, in UTF-16 code units. */
const maxSearchedLength = 10_000

/** Whether X counts a character once; it counts all others twice. */
const isLight = (codePoint: number): boolean =>
  codePoint <= 0x10ff ||
  (codePoint >= 0x2000 && codePoint <= 0x200d) ||
  (codePoint >= 0x2010 && codePoint <= 0x201f) ||
  (codePoint >= 0x2032 && codePoint <= 0x2037)

/** An upper bound: emoji and links are counted by their code points. */
const lengthByCodePoints = (text: string): number => {
  let length = 0
  for (const character of text.normalize("NFC")) length += isLight(character.codePointAt(0) ?? 0) ? 1 : 2
  return length
}

const isQuicklyParsed = (text: string): boolean =>
  text.length <= maxParsedLength &&
  (text.length <= maxNonAscii || text.replaceAll(/[\0-\x7f]+/g, "").length <= maxNonAscii)

const lengthByWords = (text: string): number => {
  let length = 0
  let read = 0
  for (const word of text.slice(0, maxSearchedLength).matchAll(/\S+/g)) {
    if (!isQuicklyParsed(word[0])) continue
    length += lengthByCodePoints(text.slice(read, word.index)) + twitterText.parseTweet(word[0]).weightedLength
    read = word.index + word[0].length
  }
  return length + lengthByCodePoints(text.slice(read))
}

/**
 * The length by X's weights, in linear time. A long text is counted word by word, and links are not recognized in words
 * that are longer than any link or beyond `maxSearchedLength`, so its length can come out higher than X would count it.
 */
export const weightedLength = (text: string): number =>
  isQuicklyParsed(text) ? twitterText.parseTweet(text).weightedLength : lengthByWords(text)
