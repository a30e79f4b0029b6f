import { countGraphemes } from "./graphemes.ts"
import { endsInTopLevelDomain } from "./topLevelDomains.ts"

/** What a part of a text stands for. A mention names a handle that is still to be resolved. */
export type BlueskyFeature =
  | { readonly _tag: "Link"; readonly uri: string }
  | { readonly _tag: "Mention"; readonly handle: string }
  | { readonly _tag: "Tag"; readonly tag: string }

/** A part of a text, by UTF-16 indices. */
export interface BlueskyEntity {
  readonly start: number
  readonly end: number
  readonly feature: BlueskyFeature
}

/** A text with more has more bytes than a post may have, however short its links are shown. */
const mostEntities = 1000
/** The protocol's limit is 8 KiB, and addresses are mostly ASCII. */
const longestAddress = 8000
const mostTagGraphemes = 64
const mostTagBytes = 640

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

/** Cuts the punctuation off the end; a pattern for it would try every start, which takes the square of the length. */
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
  tag.length <= mostTagGraphemes ||
  (new TextEncoder().encode(tag).byteLength <= mostTagBytes && countGraphemes(tag) <= mostTagGraphemes)

const tagAt = (text: string, start: number): BlueskyEntity | undefined => {
  const run = matchAt(tagRun, text, start)?.[1]
  if (run === undefined || !tagLetter.test(run)) return undefined
  const tag = withoutTrailingPunctuation(run)
  return tag === "" || !tagFits(tag) ? undefined : { start, end: start + 1 + tag.length, feature: { _tag: "Tag", tag } }
}

const cashtagAt = (text: string, start: number): BlueskyEntity | undefined => {
  const ticker = matchAt(cashtag, text, start)?.[1]
  return ticker === undefined
    ? undefined
    : { start, end: start + 1 + ticker.length, feature: { _tag: "Tag", tag: `$${ticker.toUpperCase()}` } }
}

const mentionAt = (text: string, start: number): BlueskyEntity | undefined => {
  const run = matchAt(handleRun, text, start)?.[1]
  if (run === undefined) return undefined
  let end = start + 1 + run.length
  // A handle ends where a word does, so a full stop after it is not part of it.
  while (end > start + 1 && isWordAt(text, end - 1) === isWordAt(text, end)) end--
  const handle = text.slice(start + 1, end)
  return endsInTopLevelDomain(handle) || handle.endsWith(".test")
    ? { start, end, feature: { _tag: "Mention", handle } }
    : undefined
}

const linkUpTo = (text: string, start: number, end: number): BlueskyEntity | undefined => {
  let shown = text.slice(start, end)
  const name = matchAt(domain, text, start)?.[0]
  const hasScheme = shown.startsWith("http://") || shown.startsWith("https://")
  if (!hasScheme && (name === undefined || !endsInTopLevelDomain(name))) return undefined
  if (/[.,;:!?]$/.test(shown)) shown = shown.slice(0, -1)
  if (shown.endsWith(")") && !shown.includes("(")) shown = shown.slice(0, -1)
  const uri = hasScheme ? shown : `https://${shown}`
  // For an address without a host, or a longer one, the platform would refuse the whole post.
  return /^https?:\/\/[^\s/]/.test(uri) && uri.length <= longestAddress
    ? { start, end: start + shown.length, feature: { _tag: "Link", uri } }
    : undefined
}

const entitiesOfWord = (text: string, start: number, end: number): ReadonlyArray<BlueskyEntity> => {
  const found: Array<BlueskyEntity | undefined> = [tagAt(text, start)]
  let linkSeen = false
  for (let at = start; at < end; at++) {
    if (at !== start && text[at - 1] !== "(") continue
    if (text[at] === "@") found.push(mentionAt(text, at))
    else if (text[at] === "$") found.push(cashtagAt(text, at))
    else if (!linkSeen && (matchAt(schemed, text, at) ?? matchAt(domain, text, at)) !== null) {
      // Whatever starts like a link takes the rest of the word.
      linkSeen = true
      found.push(linkUpTo(text, at, end))
    }
  }
  return found.filter((entity) => entity !== undefined)
}

/**
 * Finds links, mentions, hashtags and cashtags as Bluesky's own client does (RichText.detectFacets in @atproto/api),
 * first to last, without those that overlap an earlier one, which no client shows. Takes time in proportion to the text.
 */
export const findBlueskyEntities = (text: string): ReadonlyArray<BlueskyEntity> => {
  const entities: Array<BlueskyEntity> = []
  let end = 0
  for (const word of text.matchAll(/\S+/g)) {
    const found = entitiesOfWord(text, word.index, word.index + word[0].length)
    for (const entity of found.toSorted((a, b) => a.start - b.start)) {
      if (entity.start < end) continue
      if (entities.push(entity) === mostEntities) return entities
      end = entity.end
    }
  }
  return entities
}
