import { AppBskyRichtextFacet, RichText, UnicodeString } from "@atproto/api"

/** A post's text and facets. */
export interface AppPost {
  readonly text: string
  readonly facets: Array<AppBskyRichtextFacet.Main>
}

type Feature = AppBskyRichtextFacet.Main["features"][number]

const isUnresolved = (feature: Feature): boolean => AppBskyRichtextFacet.isMention(feature) && feature.did === ""

/** How Bluesky's app displays a URL. */
const shorten = (address: string): string => {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) return address
  const rest = `${url.pathname === "/" ? "" : url.pathname}${url.search}${url.hash}`
  return url.host + (rest.length > 15 ? `${rest.slice(0, 13)}...` : rest)
}

/** Shortens the links in a text. RichText's insert and delete can't do it, because they mistake UTF-16 lengths for bytes. */
const shortenLinks = (rich: RichText): AppPost => {
  const facets: AppPost["facets"] = []
  let text = ""
  for (const segment of rich.segments()) {
    const byteStart = new UnicodeString(text).length
    text += segment.isLink() ? shorten(segment.text) : segment.text
    if (segment.facet === undefined) continue
    facets.push({ index: { byteStart, byteEnd: new UnicodeString(text).length }, features: segment.facet.features })
  }
  return { text, facets }
}

/**
 * What Bluesky's app posts of a text in which its library found the facets: without mentions that do not resolve or facets that
 * overlap an earlier one, and with long links shortened.
 */
export const appPost = ({ facets, text }: RichText): AppPost =>
  shortenLinks(new RichText({ text, facets: (facets ?? []).filter(({ features }) => !features.some(isUnresolved)) }))

/** A text in Bluesky's own library, as its app makes it of what a person has written. */
export const richText = (written: string) =>
  new RichText({ text: written.trimEnd().replaceAll("\r\n", "\n") }, { cleanNewlines: true })

/** Facets without their type, which Bluesky's own library leaves out of some. */
export const indexed = (
  facets: ReadonlyArray<{ readonly index: object; readonly features: ReadonlyArray<object> }> = []
) => facets.map(({ features, index }) => ({ features, index }))
