import type { LivePlatform } from "../../../domain/platform.ts"

/** A part of a text as its platform shows it. */
export interface TextPart {
  readonly kind: "text" | "link" | "mention" | "tag"
  /** The text as it is shown: links are shortened. */
  readonly text: string
}

/** X counts every link as so many characters, whatever its length. */
const twitterLinkLength = 23
const blueskyPathLength = 15

const domains = "com|org|net|edu|gov|io|dev|app|ai|co|me|info|blog|social|eu|de|at|ch|fr|it|es|nl|uk|jp|us|ca|au"
const link = String.raw`https?:\/\/[^\s<>"「」。、]+|(?<![\w@.-])[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.(?:${domains})(?![\w.-]*\w)(?:\/[^\s<>"]*)?`
const tag = String.raw`(?<![\p{L}\p{N}_&])[#＃](?=[\p{N}_]*[\p{L}])[\p{L}\p{M}\p{N}_]+`

const patterns: Readonly<Record<LivePlatform, RegExp>> = {
  twitter: new RegExp(
    `(?<link>${link})|(?<mention>(?<![\\p{L}\\p{N}_@])[@＠][A-Za-z0-9_]{1,15}(?![A-Za-z0-9_@]))|(?<tag>${tag})`,
    "giu"
  ),
  bluesky: new RegExp(
    `(?<link>${link})|(?<mention>(?<![\\p{L}\\p{N}_@.])@[a-z0-9-]+(?:\\.[a-z0-9-]+)+)|(?<tag>${tag})`,
    "giu"
  )
}

const trailing = /[.,;:!?)'"\u2019]+$/

const shortenTwitter = (url: string): string => {
  const plain = url.replace(/^https?:\/\/(?:www\.)?/i, "")
  return plain.length <= twitterLinkLength ? plain : `${plain.slice(0, twitterLinkLength - 1)}…`
}

const shortenBluesky = (url: string): string => {
  const parsed = URL.parse(/^https?:/i.test(url) ? url : `https://${url}`)
  if (parsed === null) return url
  const path = `${parsed.pathname === "/" ? "" : parsed.pathname}${parsed.search}${parsed.hash}`
  return `${parsed.host}${path.length > blueskyPathLength ? `${path.slice(0, blueskyPathLength - 2)}...` : path}`
}

const shorten: Readonly<Record<LivePlatform, (url: string) => string>> = {
  twitter: shortenTwitter,
  bluesky: shortenBluesky
}

const partsOf = (match: RegExpExecArray, platform: LivePlatform): ReadonlyArray<TextPart> => {
  const { mention, tag: hashtag } = match.groups ?? {}
  const [text] = match
  if (mention !== undefined) return [{ kind: "mention", text }]
  if (hashtag !== undefined) return [{ kind: "tag", text }]
  const url = text.replace(trailing, "")
  return [
    { kind: "link", text: shorten[platform](url) },
    { kind: "text", text: text.slice(url.length) }
  ]
}

/**
 * The parts of a text, to color them in a preview. The service itself decides what becomes a link; this is close to it without its
 * list of every domain.
 */
export const richText = (text: string, platform: LivePlatform): ReadonlyArray<TextPart> => {
  const parts: Array<TextPart> = []
  let end = 0
  for (const match of text.matchAll(patterns[platform])) {
    parts.push({ kind: "text", text: text.slice(end, match.index) }, ...partsOf(match, platform))
    end = match.index + match[0].length
  }
  parts.push({ kind: "text", text: text.slice(end) })
  return parts.filter((part) => part.text !== "")
}

/** The address of the first link in a text, as Bluesky makes a card of it. */
export const firstLink = (text: string): string | undefined => {
  const found = Array.from(text.matchAll(patterns.bluesky)).find(({ groups }) => groups?.["link"] !== undefined)
  return found?.[0].replace(trailing, "")
}
