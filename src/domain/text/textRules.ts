import { blueskyText } from "./blueskyRichText.ts"
import { countGraphemes } from "./graphemes.ts"
import type { LivePlatform } from "../platform.ts"
import { hasForbiddenCharacter, weightedLength } from "./weightedLength.ts"

/** How long a text is on its platform, and whether the platform takes it. */
export interface TextMeasure {
  /** In the unit of `limit`: weighted characters on X; on Bluesky graphemes, or bytes where only those are too many. */
  readonly length: number
  readonly limit: number
  readonly valid: boolean
}

/** X counts most Latin characters once, others and emoji twice, and every link as 23. */
const twitterLimit = 280
/** Graphemes are what a reader sees as one character. */
export const blueskyGraphemeLimit = 300
/** UTF-8 bytes. */
export const blueskyByteLimit = 3000

const measureTwitter = (text: string): TextMeasure => {
  const length = weightedLength(text)
  const valid = length <= twitterLimit && !hasForbiddenCharacter(text)
  return { length, limit: twitterLimit, valid }
}

/** Counts the text as it is sent: long links are shown shortened. */
const measureBluesky = (text: string): TextMeasure => {
  const shown = blueskyText(text).text
  const length = countGraphemes(shown)
  const bytes = new TextEncoder().encode(shown).byteLength
  return length <= blueskyGraphemeLimit && bytes > blueskyByteLimit
    ? { length: bytes, limit: blueskyByteLimit, valid: false }
    : { length, limit: blueskyGraphemeLimit, valid: length <= blueskyGraphemeLimit }
}

const measures: Readonly<Record<LivePlatform, (text: string) => TextMeasure>> = {
  twitter: measureTwitter,
  bluesky: measureBluesky
}

/** Why a platform takes a text at no length; undefined where the length alone decides. */
export const refusalOf = (platform: LivePlatform, text: string): string | undefined => {
  if (text.trim() === "") return "Expected a text that is not blank"
  return platform === "twitter" && hasForbiddenCharacter(text)
    ? "twitter takes no byte order mark and no non-character (U+FEFF, U+FFFE, U+FFFF)"
    : undefined
}

/** Measures a text by the rule of its platform, as the platform itself will. A blank text is not valid. */
export const measureText = (platform: LivePlatform, text: string): TextMeasure => {
  const measure = measures[platform](text)
  return text.trim() === "" ? { ...measure, valid: false } : measure
}
