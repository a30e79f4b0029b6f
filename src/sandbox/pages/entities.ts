import twitterText from "twitter-text"
import { html, type Html } from "../../domain/html.ts"

/** Only the text if the URL is neither http nor https. */
export const link = (url: string, text: string): Html =>
  /^https?:$/.test(URL.parse(url)?.protocol ?? "")
    ? html`<a class="entity" href="${url}" rel="noopener noreferrer nofollow">${text}</a>`
    : html`${text}`

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
