import { DateTime } from "effect"
import type { SandboxMedia, SandboxPost } from "../state/entry.ts"
import { html, type Html } from "../../domain/html.ts"
import { accountName, platformName } from "../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { standIns } from "../../platforms/standIns.ts"
import { layout } from "./layout.ts"

const colors = 6

const postPath = ({ accountId, id, platform, username }: SandboxPost): string => {
  const path = standIns[platform].postPath({
    accountId: encodeURIComponent(accountId),
    id: encodeURIComponent(id),
    username: encodeURIComponent(username)
  })
  return `/sandbox/${platform}${path}`
}

const fileUrl = (id: string): string => `/sandbox/media/${encodeURIComponent(id)}`

const caption = ({ alt, type }: SandboxMedia): ReadonlyArray<Html> => [
  ...(type === "gif" ? [html`<span class="badge">GIF</span>`] : []),
  ...(alt === "" ? [] : [html`<span class="badge" title="${alt}">ALT</span>`])
]

const tile = (file: SandboxMedia): Html => {
  const url = fileUrl(file.id)
  const poster = file.poster === undefined ? [] : [html` poster="${fileUrl(file.poster)}"`]
  const shown =
    file.type === "video"
      ? html`<video controls preload="metadata"${poster} src="${url}" aria-label="${file.alt}"></video>`
      : html`<a href="${url}"><img src="${url}" alt="${file.alt}" loading="lazy"></a>`
  return html`<figure>${shown}<figcaption>${caption(file)}</figcaption></figure>`
}

const postMedia = ({ media = [] }: SandboxPost): ReadonlyArray<Html> =>
  media.length === 0 ? [] : [html`<div class="media of-${media.length}">${media.map(tile)}</div>\n`]

const linkCard = ({ card }: SandboxPost): ReadonlyArray<Html> => {
  if (card === undefined) return []
  const { description, thumb, title, url } = card
  const host = URL.parse(url)?.host ?? url
  const picture = thumb === null ? [] : [html`<img src="${fileUrl(thumb)}" alt="" loading="lazy">`]
  const about = description === "" ? [] : [html`<span class="about">${description}</span>`]
  return [
    html`<a class="link-card" href="${url}" rel="noopener noreferrer nofollow">${picture}<span class="words"><span class="host">${host}</span><strong>${title}</strong>${about}</span></a>\n`
  ]
}

const time = (at: number): Html => {
  const iso = DateTime.formatIso(DateTime.makeUnsafe(at))
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}

const replyNote = ({ platform, replySettings }: SandboxPost): ReadonlyArray<Html> =>
  replySettings === null
    ? []
    : [html`<p class="note">${standIns[platform].replyNotes?.[replySettings] ?? replySettings}</p>`]

const maxQuoted = 60

const quoted = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ")
  return line.length > maxQuoted ? `${line.slice(0, maxQuoted).toWellFormed()}…` : line
}

const parentNote = (post: SandboxPost, posts: ReadonlyArray<SandboxPost>): ReadonlyArray<Html> => {
  if (post.reply === undefined) return []
  const { parent: id } = post.reply
  const parent = posts.find((one) => one.platform === post.platform && standIns[one.platform].identity(one) === id)
  const named =
    parent === undefined
      ? html`a post that was deleted`
      : html`<a href="${postPath(parent)}">${quoted(parent.text) || "a post without text"}</a>`
  return [html`<p class="note">In reply to ${named}</p>\n`]
}

const avatar = (post: SandboxPost): Html => {
  const [initial = "?"] = post.displayName
  const color = Array.from(post.accountId).reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % colors
  return html`<span class="avatar color-${color}" aria-hidden="true">${initial}</span>`
}

const handleOf = ({ displayName, platform, username }: SandboxPost): ReadonlyArray<Html> => {
  const name = accountName(platform, username)
  return name === displayName ? [] : [html` <span class="handle">${name}</span>`]
}

const postTitle = ({ title }: SandboxPost): ReadonlyArray<Html> =>
  title === undefined ? [] : [html`<p class="title">${title}</p>\n`]

export const postCard = (post: SandboxPost, posts: ReadonlyArray<SandboxPost>): Html =>
  html`<article class="${post.reply === undefined ? "post" : "post reply"}">
${avatar(post)}
<div class="body">
<header><strong>${post.displayName}</strong>${handleOf(post)}</header>
${parentNote(post, posts)}${postTitle(post)}<p class="text">${standIns[post.platform].text(post)}</p>
${postMedia(post)}${linkCard(post)}${replyNote(post)}<footer><a href="${postPath(post)}">${time(post.at)}</a></footer>
</div>
</article>
`

export const postPage = (
  post: SandboxPost,
  posts: ReadonlyArray<SandboxPost>,
  enabled: ReadonlyArray<LivePlatform>
): string => {
  const platform = platformName(post.platform)
  return layout({
    title: `${post.displayName} on ${platform} (sandbox)`,
    enabled,
    main: html`<section class="timeline single ${post.platform}" aria-label="${platform}">
<h2><span class="dot"></span>${platform}</h2>
${postCard(post, posts)}<p class="identity">${standIns[post.platform].identity(post)}</p>
</section>
<p class="back"><a href="/sandbox/${post.platform}">Back to the timeline</a></p>`
  })
}

export const missingPostPage = (enabled: ReadonlyArray<LivePlatform>): string =>
  layout({
    title: "No such post (sandbox)",
    enabled,
    main: html`<section class="timeline single"><p class="empty">There is no such post in the sandbox.</p></section>
<p class="back"><a href="/sandbox">Back to the timelines</a></p>`
  })
