import type { LivePlatform } from "../../../domain/platform.ts"
import { liveFacts } from "../../../platforms/facts.ts"
import type { Preview } from "../../../platforms/Platform.ts"
import { previews } from "../../../platforms/previews.ts"

export interface TextPart {
  readonly kind: "text" | "link" | "mention" | "tag"
  /** A link is shortened, and a topic has no `#`. */
  readonly text: string
}

const domains = "com|org|net|edu|gov|io|dev|app|ai|co|me|info|blog|social|eu|de|at|ch|fr|it|es|nl|uk|jp|us|ca|au"
const link = String.raw`https?:\/\/[^\s<>"「」。、]+|(?<![\w@.-])[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.(?:${domains})(?![\w.-]*\w)(?:\/[^\s<>"]*)?`
const tag = String.raw`(?<![\p{L}\p{N}_&])[#＃](?=[\p{N}_]*[\p{L}])[\p{L}\p{M}\p{N}_]+`

const findAll = (text: string, preview: Preview): ReadonlyArray<RegExpExecArray> =>
  Array.from(
    text.matchAll(new RegExp(`(?<link>${link})|(?<mention>${preview.mention.source})|(?<tag>${tag})`, "giu"))
  ).filter(
    ({ 0: found, groups, index }) =>
      groups?.["link"] === undefined || preview.linked?.test(`${text.charAt(index - 1)}${found}`) !== false
  )

const trailing = /[.,;:!?)'"\u2019]+$/

const partsOf = (match: RegExpExecArray, preview: Preview): ReadonlyArray<TextPart> => {
  const { mention, tag: hashtag } = match.groups ?? {}
  const [text] = match
  if (mention !== undefined) return [{ kind: "mention", text: preview.shownMention?.(text) ?? text }]
  if (hashtag !== undefined) return [{ kind: "tag", text: preview.hasTopic === true ? text.slice(1) : text }]
  const url = text.replace(trailing, "")
  return [
    { kind: "link", text: preview.shorten(url) },
    { kind: "text", text: text.slice(url.length) }
  ]
}

const isTag = ({ groups }: RegExpExecArray): boolean => groups?.["tag"] !== undefined

/** The matches that are shown as links. If the platform has topics, only the first tag is one. */
const findLinked = (text: string, preview: Preview): ReadonlyArray<RegExpExecArray> => {
  const found = findAll(text, preview)
  const topic = found.find(isTag)
  return preview.hasTopic === true ? found.filter((match) => match === topic || !isTag(match)) : found
}

/** Adjacent parts without a link become one, so that two texts that look alike have equal parts. */
const joinTexts = (parts: ReadonlyArray<TextPart>): ReadonlyArray<TextPart> => {
  const joined: Array<TextPart> = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.kind === "text" && last?.kind === "text") {
      joined[joined.length - 1] = { kind: "text", text: last.text + part.text }
    } else if (part.text !== "") joined.push(part)
  }
  return joined
}

/** Finds links almost as the service does, but without the list of all top-level domains. */
export const richText = (text: string, platform: LivePlatform): ReadonlyArray<TextPart> => {
  const preview = previews[platform]
  const parts: Array<TextPart> = []
  let end = 0
  for (const match of findLinked(text, preview)) {
    parts.push({ kind: "text", text: text.slice(end, match.index) }, ...partsOf(match, preview))
    end = match.index + match[0].length
  }
  return joinTexts([...parts, { kind: "text", text: text.slice(end) }])
}

const linksIn = (text: string, platform: LivePlatform): ReadonlyArray<string> =>
  findAll(text, previews[platform]).flatMap(({ 0: found, groups }) =>
    groups?.["link"] === undefined ? [] : [found.replace(trailing, "")]
  )

/** The link that a platform may show as a card. */
export const firstLink = (text: string, platform: LivePlatform): string | undefined => linksIn(text, platform)[0]

/** The link to something on the platform that a post may quote. */
export const quoteLink = (text: string, platform: LivePlatform): string | undefined => {
  const { card, hosts } = liveFacts[platform]
  return linksIn(text, platform).find((found) => {
    const url = URL.parse(/^https?:/i.test(found) ? found : `https://${found}`)
    return (
      url !== null && card !== null && hosts.some((host) => host === url.hostname) && card.quotedPath.test(url.pathname)
    )
  })
}
