import { Option, Schema } from "effect"
import twitterText from "twitter-text"
import { PostRecord } from "../../platforms/bluesky/postRecord.ts"
import type { SandboxPost } from "../state/entry.ts"
import { html, type Html } from "../../domain/html.ts"

const decodeRecord = Schema.decodeUnknownOption(PostRecord)

const link = (url: string, text: string): Html =>
  /^https?:$/.test(URL.parse(url)?.protocol ?? "")
    ? html`<a class="entity" href="${url}" rel="noopener noreferrer nofollow">${text}</a>`
    : html`${text}`

const twitterMarkup = (text: string): ReadonlyArray<Html> => {
  const parts: Array<Html> = []
  let read = 0
  for (const entity of twitterText.extractEntitiesWithIndices(text)) {
    const [start, end] = entity.indices
    const written = text.slice(start, end)
    parts.push(html`${text.slice(read, start)}`)
    parts.push(
      "url" in entity
        ? link(/^https?:/i.test(written) ? written : `http://${written}`, written.replace(/^https?:\/\//i, ""))
        : html`<span class="entity">${written}</span>`
    )
    read = end
  }
  return [...parts, html`${text.slice(read)}`]
}

const blueskyMarkup = (record: PostRecord): ReadonlyArray<Html> => {
  const bytes = new TextEncoder().encode(record.text)
  const slice = (from: number, to?: number) => new TextDecoder().decode(bytes.subarray(from, to))
  const parts: Array<Html> = []
  let read = 0
  for (const {
    features,
    index: { byteEnd, byteStart }
  } of record.facets ?? []) {
    if (byteStart < read) continue
    const written = slice(byteStart, byteEnd)
    const feature = features[0]
    parts.push(html`${slice(read, byteStart)}`)
    parts.push(
      feature !== undefined && "uri" in feature
        ? link(feature.uri, written)
        : html`<span class="entity">${written}</span>`
    )
    read = byteEnd
  }
  return [...parts, html`${slice(read)}`]
}

/** A post's text as its platform shows it, with links, mentions and hashtags highlighted. */
export const postText = (post: SandboxPost): ReadonlyArray<Html> =>
  Option.match(decodeRecord(post.record?.value), {
    onNone: () => twitterMarkup(post.text),
    onSome: blueskyMarkup
  })
