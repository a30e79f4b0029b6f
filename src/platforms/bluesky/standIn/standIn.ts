import { Duration, Option, Schema, Struct } from "effect"
import { html, type Html } from "../../../domain/html.ts"
import { link, markEntities } from "../../../sandbox/pages/entities.ts"
import type { StandIn } from "../../../sandbox/StandIn.ts"
import type { SandboxPost } from "../../../sandbox/state/entry.ts"
import { handleOf, hashName } from "../../../sandbox/state/names.ts"
import { PostRecord, recordKey } from "../postRecord.ts"
import { encodeSession } from "../session.ts"
import { makeBlobs } from "./blobs.ts"
import { pdsRepository } from "./repository.ts"
import { pdsErrorFormat } from "./responses.ts"
import { pdsSessions, sandboxAppPassword } from "./sessions.ts"
import { videoService } from "./videos.ts"

const ShownRecord = PostRecord.mapFields(Struct.omit(["embed"]))
const decodeRecord = Schema.decodeUnknownOption(ShownRecord)

const markFacets = (record: typeof ShownRecord.Type): ReadonlyArray<Html> => {
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

/** Marks the record's links, mentions and tags. An example has no record. */
const recordText = ({ record, text }: SandboxPost): ReadonlyArray<Html> =>
  Option.match(decodeRecord(record?.value), { onNone: () => markEntities(text), onSome: markFacets })

export const blueskyStandIn: StandIn = {
  platform: "bluesky",
  account: (seed) => ({
    id: `did:plc:${hashName(`bluesky ${seed}`, 24)}`,
    username: `${handleOf(seed)}.sandbox.test`
  }),
  credentials: ({ access, refresh }) => encodeSession({ accessJwt: access, refreshJwt: refresh, pdsUrl: null }),
  renewal: { lifetime: Duration.toMillis(Duration.days(90)), reusableFor: Duration.toMillis(Duration.hours(2)) },
  errorFormat: pdsErrorFormat,
  endpoints: (memory) => {
    const blobs = makeBlobs(memory.files)
    return [...pdsRepository(memory, blobs), ...videoService(blobs), ...pdsSessions(memory)]
  },
  postPath: ({ accountId, id }) => `/profile/${accountId}/post/${id}`,
  identity: ({ accountId, id }) => `at://${accountId}/app.bsky.feed.post/${id}`,
  text: recordText,
  hint: html`To connect another Bluesky account, take any handle <code>NAME.sandbox.test</code> with the app password <code>${sandboxAppPassword}</code>.`,
  dot: { light: "#0a7aff", dark: "#4a9dff" },
  example: ({ card, targetId }) => ({
    id: recordKey(targetId),
    ...(card !== undefined && { card: { ...card, thumb: null } })
  })
}
