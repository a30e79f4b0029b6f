import { html, type Html } from "../../domain/html.ts"
import type { SandboxMedia, SandboxPost } from "../state/entry.ts"

const fileUrl = (id: string): string => `/sandbox/media/${encodeURIComponent(id)}`

const caption = ({ alt, type }: SandboxMedia): ReadonlyArray<Html> => [
  ...(type === "gif" ? [html`<span class="badge">GIF</span>`] : []),
  ...(alt === "" ? [] : [html`<span class="badge" title="${alt}">ALT</span>`])
]

const tile = (file: SandboxMedia): Html => {
  const url = fileUrl(file.id)
  const shown =
    file.type === "video"
      ? html`<video controls preload="metadata" src="${url}" aria-label="${file.alt}"></video>`
      : html`<a href="${url}"><img src="${url}" alt="${file.alt}" loading="lazy"></a>`
  return html`<figure>${shown}<figcaption>${caption(file)}</figcaption></figure>`
}

export const postMedia = ({ media = [] }: SandboxPost): ReadonlyArray<Html> =>
  media.length === 0 ? [] : [html`<div class="media of-${media.length}">${media.map(tile)}</div>\n`]

export const linkCard = ({ card }: SandboxPost): ReadonlyArray<Html> => {
  if (card === undefined) return []
  const { description, thumb, title, url } = card
  const host = URL.parse(url)?.host ?? url
  const picture = thumb === null ? [] : [html`<img src="${fileUrl(thumb)}" alt="" loading="lazy">`]
  const about = description === "" ? [] : [html`<span class="about">${description}</span>`]
  return [
    html`<a class="link-card" href="${url}" rel="noopener noreferrer nofollow">${picture}<span class="words"><span class="host">${host}</span><strong>${title}</strong>${about}</span></a>\n`
  ]
}
