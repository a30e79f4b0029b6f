import domains from "tlds" with { type: "json" }
import twitterText from "twitter-text"
import { isAscii } from "../../../domain/posts/text/textLength.ts"

/** X's longest link plus a post's text, in UTF-16 code units. */
const maxParsedLength = 4096 + 280
/** twitter-text takes quadratic time, most of all next to characters that no URL contains. */
const maxNonAscii = 1000
/** Links and emoji are searched up to here, in UTF-16 code units. */
const maxSearchedLength = 10_000

/** X counts these once, all others twice. */
const isLight = (codePoint: number): boolean =>
  codePoint <= 0x10ff ||
  (codePoint >= 0x2000 && codePoint <= 0x200d) ||
  (codePoint >= 0x2010 && codePoint <= 0x201f) ||
  (codePoint >= 0x2032 && codePoint <= 0x2037)

/** An upper bound, which counts emoji and links by code points. */
const lengthByCodePoints = (text: string): number => {
  let length = 0
  for (const character of text.normalize("NFC")) length += isLight(character.codePointAt(0) ?? 0) ? 1 : 2
  return length
}

/**
 * Any emoji that Unicode recommends for interchange. The first alternatives match emoji of one code point, or of one
 * and a skin tone, if no longer emoji can begin there: trying longer emoji takes a hundred times as long.
 */
const emoji =
  /(?:[\p{Emoji_Presentation}--[\p{RI}\p{EMod}]]|\p{EBase}\p{EMod})(?!\ufe0f|\u20e3|[\u200d\p{EMod}\u{e0020}-\u{e007f}])|\p{RGI_Emoji}/gv
/** Replaces every other emoji. It is one code point, and joins with no neighbor. */
const simpleEmoji = "🍕"

/**
 * twitter-text counts every code point of emoji that are newer than itself. Keycaps stay, because a link can end in
 * their digit.
 */
const withSimpleEmoji = (text: string): string =>
  text.slice(0, maxSearchedLength).replaceAll(emoji, (match) => (isAscii(match.charAt(0)) ? match : simpleEmoji)) +
  text.slice(maxSearchedLength)

/** Domains newer than twitter-text, each with an older domain that X counts alike as plain text. */
const findNewerDomains = () => {
  const { validCCTLD, validGTLD } = twitterText.regexen
  const knownDomain = new RegExp(`^(?:${validGTLD.source}|${validCCTLD.source}|xn--.*)$`, "i")
  const { newer = [], older = [] } = Object.groupBy(domains, (name) => (knownDomain.test(name) ? "older" : "newer"))
  const alike = new Map(
    newer.flatMap((name) => {
      const known = older.find(
        (other) => isAscii(other) === isAscii(name) && lengthByCodePoints(other) === lengthByCodePoints(name)
      )
      return known === undefined ? [] : [[name, known] as const]
    })
  )
  return { alike, pattern: new RegExp(`(?<=[^\\s.]\\.)(?:${[...alike.keys()].join("|")})(?=[^0-9a-zA-Z@+-]|$)`, "giu") }
}
/** Computed with the first text, because this takes longer than loading any module at a start. */
let newerDomains: ReturnType<typeof findNewerDomains> | undefined

/** Makes twitter-text recognize today's top-level domains. */
const withOlderDomains = (text: string): string => {
  const { alike, pattern } = (newerDomains ??= findNewerDomains())
  return text.replaceAll(pattern, (name) => alike.get(name.toLowerCase()) ?? name)
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

/** Every link in ASCII has a top-level domain, which begins with a letter. */
const mayHaveLink = /\.[a-z]/i

/**
 * The length by X's weights, in linear time: an emoji counts 2 and a link 23, even if twitter-text does not know them.
 * If X's count is uncertain, the greater length counts: for emoji without the variation selectors that Unicode
 * recommends, and for words longer than any link, with more than `maxNonAscii` non-ASCII units, or beyond
 * `maxSearchedLength`. Links in such words are not recognized. Most texts are ASCII without a link, and skip
 * twitter-text's searches.
 */
export const weightedLength = (written: string): number => {
  if (isAscii(written) && !mayHaveLink.test(written)) return written.length
  const text = withOlderDomains(withSimpleEmoji(written.normalize("NFC")))
  return isQuicklyParsed(text) ? twitterText.parseTweet(text).weightedLength : lengthByWords(text)
}
