import domains from "tlds" with { type: "json" }
import twitterText from "twitter-text"
import { isAscii } from "../../../domain/posts/text/textLength.ts"

/** X's longest link plus a post's text, in UTF-16 code units. */
const maxParsedLength = 4096 + 280
/** twitter-text takes quadratic time, and most next to characters that no URL has. */
const maxNonAscii = 1000
/** Links and emoji are searched up to here, in UTF-16 code units. */
const maxSearchedLength = 10_000

/** X counts these once, all others twice. */
const isLight = (codePoint: number): boolean =>
  codePoint <= 0x10ff ||
  (codePoint >= 0x2000 && codePoint <= 0x200d) ||
  (codePoint >= 0x2010 && codePoint <= 0x201f) ||
  (codePoint >= 0x2032 && codePoint <= 0x2037)

/** An upper bound: emoji and links by their code points. */
const lengthByCodePoints = (text: string): number => {
  let length = 0
  for (const character of text.normalize("NFC")) length += isLight(character.codePointAt(0) ?? 0) ? 1 : 2
  return length
}

/**
 * Any emoji that Unicode recommends for interchange. Emoji of one code point, or one and a skin tone, come first if no
 * longer one can begin there: trying the longer ones takes a hundred times as long.
 */
const emoji =
  /(?:[\p{Emoji_Presentation}--[\p{RI}\p{EMod}]]|\p{EBase}\p{EMod})(?!\ufe0f|\u20e3|[\u200d\p{EMod}\u{e0020}-\u{e007f}])|\p{RGI_Emoji}/gv
/** One code point, which joins with nothing beside it. */
const simpleEmoji = "🍕"

/**
 * twitter-text counts every code point of emoji that are newer than itself. Keycaps stay, because a link can end in
 * their digit.
 */
const withSimpleEmoji = (text: string): string =>
  text.slice(0, maxSearchedLength).replaceAll(emoji, (match) => (isAscii(match.charAt(0)) ? match : simpleEmoji)) +
  text.slice(maxSearchedLength)

/** Newer than twitter-text, each with an older one that X counts alike as plain text. */
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
/** Found with the first text, as the search takes longer than any module at a start. */
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

/** Every link has a top-level domain, which begins with a letter in ASCII. */
const mayHaveLink = /\.[a-z]/i

/**
 * The length by X's weights, in linear time: an emoji counts 2 and a link 23, even if twitter-text does not know them.
 * If X's count is uncertain, the length is the greater one: for emoji without the variation selectors that Unicode
 * recommends, and for words longer than any link, with more than `maxNonAscii` such units, or beyond
 * `maxSearchedLength`. In these no links are recognized. Most texts are ASCII without a link, in which twitter-text
 * would search several times.
 */
export const weightedLength = (written: string): number => {
  if (isAscii(written) && !mayHaveLink.test(written)) return written.length
  const text = withOlderDomains(withSimpleEmoji(written.normalize("NFC")))
  return isQuicklyParsed(text) ? twitterText.parseTweet(text).weightedLength : lengthByWords(text)
}
