import domains from "tlds" with { type: "json" }
import { byteLength, countGraphemes } from "./textLength.ts"

/** A mention's handle is not resolved yet. */
export type Feature =
  | { readonly _tag: "Link"; readonly uri: string }
  | { readonly _tag: "Mention"; readonly handle: string }
  | { readonly _tag: "Tag"; readonly tag: string }

/** By UTF-16 indices. */
export interface Entity {
  readonly start: number
  readonly end: number
}

export interface FoundEntity extends Entity {
  readonly feature: Feature
}

/** A text with more entities exceeds a post's byte limit even after its links are shortened. */
const maxEntities = 1000
/** In UTF-16 code units. The protocol's limit is 8 KiB, and URIs are mostly ASCII. */
const maxUriLength = 8000
const maxTagGraphemes = 64
const maxTagBytes = 640

const topLevelDomains = new Set(domains)

/** `name` must be in lower case. */
const endsInTopLevelDomain = (name: string): boolean => {
  const dot = name.lastIndexOf(".")
  return dot !== -1 && topLevelDomains.has(name.slice(dot + 1))
}

const tagRun = /[#＃](?!\u{fe0f})([^\u{20e2}\s\u{ad}\u{2060}\u{200a}-\u{200d}]+)/uy
const tagLetter = /[^\u{20e2}\d\s\p{P}\u{ad}\u{2060}\u{200a}-\u{200d}]/u
const cashtag = /\$([A-Za-z][A-Za-z0-9]{0,4})(?=\s|$|[.,;:!?)"'\u2019])/uy
const handleRun = /@([A-Za-z0-9.-]+)/y
const domain = /[a-z][a-z0-9]*(?:\.[a-z0-9]+)+/iy
const schemed = /https?:\/\/\S/iy
const punctuation = /^\p{P}$/u

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const isWordAt = (text: string, at: number): boolean => /^\w/.test(text.charAt(at))

/** Runs in linear time; a regular expression would backtrack from every start. */
const withoutTrailingPunctuation = (text: string): string => {
  let end = text.length
  while (end > 0) {
    const width = end > 1 && (text.codePointAt(end - 2) ?? 0) > 0xffff ? 2 : 1
    if (!punctuation.test(text.slice(end - width, end))) break
    end -= width
  }
  return text.slice(0, end)
}

const tagFits = (tag: string): boolean =>
  tag.length <= maxTagGraphemes || (byteLength(tag) <= maxTagBytes && countGraphemes(tag) <= maxTagGraphemes)

const tagAt = (text: string, start: number): FoundEntity | undefined => {
  const run = matchAt(tagRun, text, start)?.[1]
  if (run === undefined || !tagLetter.test(run)) return undefined
  const tag = withoutTrailingPunctuation(run)
  return tag === "" || !tagFits(tag) ? undefined : { start, end: start + 1 + tag.length, feature: { _tag: "Tag", tag } }
}

const cashtagAt = (text: string, start: number): FoundEntity | undefined => {
  const ticker = matchAt(cashtag, text, start)?.[1]
  return ticker === undefined
    ? undefined
    : { start, end: start + 1 + ticker.length, feature: { _tag: "Tag", tag: `$${ticker.toUpperCase()}` } }
}

const mentionAt = (text: string, start: number): FoundEntity | undefined => {
  const run = matchAt(handleRun, text, start)?.[1]
  if (run === undefined) return undefined
  let end = start + 1 + run.length
  // A handle ends at a word boundary, so a full stop after it is not part of it.
  while (end > start + 1 && isWordAt(text, end - 1) === isWordAt(text, end)) end--
  const handle = text.slice(start + 1, end)
  return endsInTopLevelDomain(handle) || handle.endsWith(".test")
    ? { start, end, feature: { _tag: "Mention", handle } }
    : undefined
}

const linkAt = (text: string, start: number, end: number): FoundEntity | undefined => {
  let shown = text.slice(start, end)
  const name = matchAt(domain, text, start)?.[0]
  const hasScheme = shown.startsWith("http://") || shown.startsWith("https://")
  if (!hasScheme && (name === undefined || !endsInTopLevelDomain(name))) return undefined
  if (/[.,;:!?]$/.test(shown)) shown = shown.slice(0, -1)
  if (shown.endsWith(")") && !shown.includes("(")) shown = shown.slice(0, -1)
  const uri = hasScheme ? shown : `https://${shown}`
  // The platform refuses the whole post if a URI is longer or has no host.
  return /^https?:\/\/[^\s/]/.test(uri) && uri.length <= maxUriLength
    ? { start, end: start + shown.length, feature: { _tag: "Link", uri } }
    : undefined
}

const findInWord = (text: string, start: number, end: number): ReadonlyArray<FoundEntity> => {
  const found: Array<FoundEntity | undefined> = [tagAt(text, start)]
  let hasLink = false
  for (let at = start; at < end; at++) {
    if (at !== start && text[at - 1] !== "(") continue
    if (text[at] === "@") found.push(mentionAt(text, at))
    else if (text[at] === "$") found.push(cashtagAt(text, at))
    else if (!hasLink && (matchAt(schemed, text, at) ?? matchAt(domain, text, at)) !== null) {
      // A link extends to the end of its word, so a word has at most one.
      hasLink = true
      found.push(linkAt(text, at, end))
    }
  }
  return found.filter((entity) => entity !== undefined)
}

/**
 * Finds links, mentions, hashtags and cashtags as Bluesky's own client does (RichText.detectFacets in @atproto/api), in
 * text order and in linear time. Skips entities that overlap an earlier one, because no client shows them.
 */
export const findEntities = (text: string): ReadonlyArray<FoundEntity> => {
  const entities: Array<FoundEntity> = []
  let end = 0
  for (const word of text.matchAll(/\S+/g)) {
    const found = findInWord(text, word.index, word.index + word[0].length)
    for (const entity of found.toSorted((a, b) => a.start - b.start)) {
      if (entity.start < end) continue
      if (entities.push(entity) === maxEntities) return entities
      end = entity.end
    }
  }
  return entities
}
