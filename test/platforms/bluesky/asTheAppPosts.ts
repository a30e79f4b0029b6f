import { AppBskyRichtextFacet, RichText, UnicodeString } from "@atproto/api"

/** A text and what it stands for, as they are sent. */
export interface Shown {
  readonly text: string
  readonly facets: Array<AppBskyRichtextFacet.Main>
}

type Feature = AppBskyRichtextFacet.Main["features"][number]

const isUnresolved = (feature: Feature): boolean => AppBskyRichtextFacet.isMention(feature) && feature.did === ""

/** As Bluesky's app shows an address. */
const short = (address: string): string => {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) return address
  const rest = `${url.pathname === "/" ? "" : url.pathname}${url.search}${url.hash}`
  return url.host + (rest.length > 15 ? `${rest.slice(0, 13)}...` : rest)
}

/** The text with its links shown short. RichText's own insert and delete mistake UTF-16 lengths for bytes. */
const shortened = (rich: RichText): Shown => {
  const facets: Shown["facets"] = []
  let text = ""
  for (const segment of rich.segments()) {
    const byteStart = new UnicodeString(text).length
    text += segment.isLink() ? short(segment.text) : segment.text
    if (segment.facet === undefined) continue
    facets.push({ index: { byteStart, byteEnd: new UnicodeString(text).length }, features: segment.facet.features })
  }
  return { text, facets }
}

/**
 * What Bluesky's app posts of a text in which its library has found the facets: mentions that do not resolve are text, what
 * overlaps something earlier is not marked, and long links are shown shortened.
 */
export const asTheAppPosts = ({ facets, text }: RichText): Shown =>
  shortened(new RichText({ text, facets: (facets ?? []).filter(({ features }) => !features.some(isUnresolved)) }))
