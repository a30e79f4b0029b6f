import { Option, Schema } from "effect"
import { html, type Html } from "../../../domain/html.ts"
import { link, markEntities } from "../../../sandbox/pages/entities.ts"
import type { SandboxPost } from "../../../sandbox/state/entry.ts"
import { PostRecord } from "../postRecord.ts"

const decodeRecord = Schema.decodeUnknownOption(PostRecord)

const markFacets = (record: PostRecord): ReadonlyArray<Html> => {
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

/** With the record's links, mentions and tags. An example has no record. */
export const recordText = ({ record, text }: SandboxPost): ReadonlyArray<Html> =>
  Option.match(decodeRecord(record?.value), { onNone: () => markEntities(text), onSome: markFacets })
