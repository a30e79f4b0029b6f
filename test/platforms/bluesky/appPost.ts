import { AppBskyRichtextFacet, RichText, UnicodeString } from "@atproto/api"

/** A post's text and facets. */
export interface AppPost {
  readonly text: string
  readonly facets: Array<AppBskyRichtextFacet.Main>
}

type Feature = AppBskyRichtextFacet.Main["features"][number]

const isUnresolved = (feature: Feature): boolean => AppBskyRichtextFacet.isMention(feature) && feature.did === ""

/** The form in which Bluesky's app displays a URL. */
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
 * The post that Bluesky's app makes of a text with the facets that its library found: without mentions that do not
 * resolve and without facets that overlap an earlier facet. Long links are shortened.
 */
export const appPost = ({ facets, text }: RichText): AppPost =>
  shortenLinks(new RichText({ text, facets: (facets ?? []).filter(({ features }) => !features.some(isUnresolved)) }))

/** A text in Bluesky's own library, as the app creates it from a person's input. */
export const richText = (written: string) =>
  new RichText({ text: written.trimEnd().replaceAll("\r\n", "\n") }, { cleanNewlines: true })

/** The facets without their type, which Bluesky's own library omits from some facets. */
export const indexed = (
  facets: ReadonlyArray<{ readonly index: object; readonly features: ReadonlyArray<object> }> = []
) => facets.map(({ features, index }) => ({ features, index }))
