import twitterText from "twitter-text"

/** The longest address that X counts as a link, and the text that may stand beside it. */
const longestParsed = 4096 + 280
/** twitter-text takes time by the square of the length, most of all beside characters that no address has. */
const mostNonAscii = 1000
/** How much of a long text is looked through for links. */
const mostSearched = 10_000

const isLight = (codePoint: number): boolean =>
  codePoint <= 0x10ff ||
  (codePoint >= 0x2000 && codePoint <= 0x200d) ||
  (codePoint >= 0x2010 && codePoint <= 0x201f) ||
  (codePoint >= 0x2032 && codePoint <= 0x2037)

/** Never less than the length with links and emoji counted as one each. */
const lengthByCodePoints = (text: string): number => {
  let length = 0
  for (const character of text.normalize("NFC")) length += isLight(character.codePointAt(0) ?? 0) ? 1 : 2
  return length
}

const isQuicklyParsed = (text: string): boolean =>
  text.length <= longestParsed &&
  (text.length <= mostNonAscii || text.replaceAll(/[\0-\x7f]+/g, "").length <= mostNonAscii)

const lengthByWords = (text: string): number => {
  let length = 0
  let read = 0
  for (const word of text.slice(0, mostSearched).matchAll(/\S+/g)) {
    if (!isQuicklyParsed(word[0])) continue
    length += lengthByCodePoints(text.slice(read, word.index)) + twitterText.parseTweet(word[0]).weightedLength
    read = word.index + word[0].length
  }
  return length + lengthByCodePoints(text.slice(read))
}

/**
 * A text's length by X's weights. A long one is counted word by word, and no link is looked for in words that are longer
 * than any link or far into it: so it can come out longer than X would count it, but takes no longer than others to count.
 */
export const weightedLength = (text: string): number =>
  isQuicklyParsed(text) ? twitterText.parseTweet(text).weightedLength : lengthByWords(text)

/** X refuses a text with a byte order mark or a non-character in it. */
export const hasForbiddenCharacter = (text: string): boolean => twitterText.hasInvalidCharacters(text)
