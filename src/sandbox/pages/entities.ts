import twitterText from "twitter-text"
import { html, type Html } from "../../domain/html.ts"

/** A link if it leads to a website, or else its text alone. */
export const link = (url: string, text: string): Html =>
  /^https?:$/.test(URL.parse(url)?.protocol ?? "")
    ? html`<a class="entity" href="${url}" rel="noopener noreferrer nofollow">${text}</a>`
    : html`${text}`

/** A text with the links, mentions and hashtags that are found in it. */
export const markEntities = (text: string): ReadonlyArray<Html> => {
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
