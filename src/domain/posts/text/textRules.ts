import twitterText from "twitter-text"
import { isBlank } from "../../plain/blankText.ts"
import type { LivePlatform } from "../../platform.ts"
import { blueskyText } from "./blueskyRichText.ts"
import { byteLength, countGraphemes } from "./textLength.ts"
import type { TwitterAccess } from "./twitterAccess.ts"
import { weightedLength } from "./weightedLength.ts"
import { blankText } from "./publishableText.ts"

/** How long a text is on its platform, and whether the platform accepts it. */
export interface TextMeasure {
  /** The length in the unit of `limit`: weighted characters on X; graphemes on Bluesky, or bytes where only those are too many. */
  readonly length: number
  readonly limit: number
  readonly valid: boolean
}

/** Weighted characters: X counts most Latin characters once, others and emoji twice, and every link as 23. */
const twitterLimit = 280
/** Of applications that are not of an enterprise: docs.x.com, "Manage Posts". */
const maxCashtags = 1
export const blueskyGraphemeLimit = 300
/** UTF-8 bytes. */
export const blueskyByteLimit = 3000

/** X refuses a text that contains a byte order mark or a non-character. */
const hasForbiddenCharacter = (text: string): boolean => twitterText.hasInvalidCharacters(text)

const measureTwitter = (text: string): TextMeasure => {
  const length = weightedLength(text)
  return { length, limit: twitterLimit, valid: length <= twitterLimit && !hasForbiddenCharacter(text) }
}

/** Counts the text as it is sent: tidied, and with long links shortened. */
const measureBluesky = (text: string): TextMeasure => {
  const shown = blueskyText(text).text
  const length = countGraphemes(shown)
  const bytes = byteLength(shown)
  return length <= blueskyGraphemeLimit && bytes > blueskyByteLimit
    ? { length: bytes, limit: blueskyByteLimit, valid: false }
    : { length, limit: blueskyGraphemeLimit, valid: length <= blueskyGraphemeLimit }
}

const measures: Readonly<Record<LivePlatform, (text: string) => TextMeasure>> = {
  twitter: measureTwitter,
  bluesky: measureBluesky
}

const explainTwitterRefusal = (text: string, access: TwitterAccess): string | undefined => {
  if (hasForbiddenCharacter(text)) {
    return "twitter takes no byte order mark and no non-character (U+FEFF, U+FFFE, U+FFFF)"
  }
  const cashtags = access === "enterprise" ? [] : twitterText.extractCashtags(text)
  return cashtags.length > maxCashtags
    ? `twitter takes one cashtag, this has ${cashtags.length}: ${cashtags
        .slice(0, 5)
        .map((name) => `$${name}`)
        .join(", ")}`
    : undefined
}

/** Why a platform refuses a text whatever its length; undefined where only the length decides. Beside media it may be blank. */
export const explainRefusal = (
  platform: LivePlatform,
  text: string,
  hasMedia = false,
  access: TwitterAccess = "self-serve"
): string | undefined => {
  if (isBlank(text) && !hasMedia) return blankText
  return platform === "twitter" ? explainTwitterRefusal(text, access) : undefined
}

/** Measures a text by the rule of its platform, as the platform itself does. A blank text is not valid, except beside media. */
export const measureText = (platform: LivePlatform, text: string, hasMedia = false): TextMeasure => {
  const measure = measures[platform](text)
  return isBlank(text) && !hasMedia ? { ...measure, valid: false } : measure
}
