import { type BlueskyEntity, type BlueskyFeature, findBlueskyEntities } from "./blueskyEntities.ts"

/** A part of a shown text, by UTF-8 byte offsets, and what it stands for. */
export interface BlueskyFacet {
  readonly byteStart: number
  readonly byteEnd: number
  readonly feature: BlueskyFeature
}

/** A text as Bluesky shows it. */
export interface BlueskyText {
  readonly text: string
  readonly facets: ReadonlyArray<BlueskyFacet>
}

const longestPath = 15
const shownPath = 13

/** An address as Bluesky's app shows it: without its scheme, and with a long path cut short. */
const shortened = (address: string): string => {
  const url = /^https?:/.test(address) ? URL.parse(address) : null
  if (url === null) return address
  const path = (url.pathname === "/" ? "" : url.pathname) + url.search + url.hash
  return url.host + (path.length > longestPath ? `${path.slice(0, shownPath)}...` : path)
}

const shownAs = (text: string, entity: BlueskyEntity): string => {
  const written = text.slice(entity.start, entity.end)
  return entity.feature._tag === "Link" ? shortened(written) : written
}

/** Makes the text that is sent, with long links shown shortened, and the facets that say what its parts stand for. */
export const blueskyText = (text: string): BlueskyText => {
  const encoder = new TextEncoder()
  const facets: Array<BlueskyFacet> = []
  let shown = ""
  let bytes = 0
  let read = 0
  const append = (part: string) => {
    shown += part
    bytes += encoder.encode(part).byteLength
  }
  for (const entity of findBlueskyEntities(text)) {
    append(text.slice(read, entity.start))
    const byteStart = bytes
    append(shownAs(text, entity))
    facets.push({ byteStart, byteEnd: bytes, feature: entity.feature })
    read = entity.end
  }
  append(text.slice(read))
  return { text: shown, facets }
}
