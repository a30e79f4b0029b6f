import { type BlueskyEntity, type BlueskyFeature, findBlueskyEntities } from "./blueskyEntities.ts"
import { blueskyPostText } from "./blueskyPostText.ts"
import { byteLength } from "./textLength.ts"

/** A part of the displayed text, by UTF-8 byte offsets, and what it links to. */
export interface BlueskyFacet {
  readonly byteStart: number
  readonly byteEnd: number
  readonly feature: BlueskyFeature
}

/** A text as Bluesky displays it. */
export interface BlueskyText {
  readonly text: string
  readonly facets: ReadonlyArray<BlueskyFacet>
}

/** A path longer than `maxPathLength` is cut to `shortPathLength` and an ellipsis. */
const maxPathLength = 15
const shortPathLength = 13

/** Shortens a URL as Bluesky's app does: without its scheme, and with a long path cut. */
const shorten = (address: string): string => {
  const url = /^https?:/.test(address) ? URL.parse(address) : null
  if (url === null) return address
  const path = (url.pathname === "/" ? "" : url.pathname) + url.search + url.hash
  return url.host + (path.length > maxPathLength ? `${path.slice(0, shortPathLength)}...` : path)
}

const display = (text: string, entity: BlueskyEntity): string => {
  const written = text.slice(entity.start, entity.end)
  return entity.feature._tag === "Link" ? shorten(written) : written
}

/** The text to send, tidied and with long links shortened, and the facets that hold what its parts link to. */
export const blueskyText = (written: string): BlueskyText => {
  const text = blueskyPostText(written)
  const facets: Array<BlueskyFacet> = []
  let shown = ""
  let bytes = 0
  let read = 0
  const append = (part: string) => {
    shown += part
    bytes += byteLength(part)
  }
  for (const entity of findBlueskyEntities(text)) {
    append(text.slice(read, entity.start))
    const byteStart = bytes
    append(display(text, entity))
    facets.push({ byteStart, byteEnd: bytes, feature: entity.feature })
    read = entity.end
  }
  append(text.slice(read))
  return { text: shown, facets }
}
