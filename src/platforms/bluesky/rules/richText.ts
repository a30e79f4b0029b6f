import { type Feature, findEntities, type FoundEntity } from "../../../domain/posts/text/entities.ts"
import { byteLength } from "../../../domain/posts/text/textLength.ts"
import { bluesky as preview } from "../preview.ts"

/** Three or more line breaks, with only white space and zero-width characters between them. */
const excessBreaks = /[\r\n](?:[[\s\u{ad}\u{2060}\u{200b}-\u{200d}]--[\r\n]]*[\r\n]){2,}/gv

/**
 * The text as Bluesky's app posts it: without white space at its end, with LF for CRLF, and two line breaks in place of
 * more. Lengths and facets are those of this text.
 */
export const postText = (text: string): string =>
  text.trimEnd().replaceAll("\r\n", "\n").replaceAll(excessBreaks, "\n\n")

/** The offsets are UTF-8 bytes of the displayed text. */
export interface TextFacet {
  readonly byteStart: number
  readonly byteEnd: number
  readonly feature: Feature
}

export interface RichText {
  readonly text: string
  readonly facets: ReadonlyArray<TextFacet>
}

const display = (text: string, { end, feature, start }: FoundEntity): string => {
  const written = text.slice(start, end)
  return feature._tag === "Link" ? preview.shorten(written) : written
}

/** The displayed text, in which long links are shortened. */
export const richText = (written: string): RichText => {
  const text = postText(written)
  const facets: Array<TextFacet> = []
  let shown = ""
  let bytes = 0
  let read = 0
  const append = (part: string) => {
    shown += part
    bytes += byteLength(part)
  }
  for (const entity of findEntities(text)) {
    append(text.slice(read, entity.start))
    const byteStart = bytes
    append(display(text, entity))
    facets.push({ byteStart, byteEnd: bytes, feature: entity.feature })
    read = entity.end
  }
  append(text.slice(read))
  return { text: shown, facets }
}
