import { DateTime } from "effect"
import type { SandboxPost } from "../state/entry.ts"
import { html, type Html } from "../../domain/html.ts"
import { platformNames } from "../../domain/plain/platforms.ts"
import { layout } from "./layout.ts"
import { linkCard, postMedia } from "./media.ts"
import { postText } from "./postText.ts"

/** The number of avatar colors in the style sheet. */
const colors = 6

const postPath = (post: SandboxPost): string =>
  post.platform === "twitter"
    ? `/sandbox/twitter/${encodeURIComponent(post.username)}/status/${encodeURIComponent(post.id)}`
    : `/sandbox/bluesky/profile/${encodeURIComponent(post.accountId)}/post/${encodeURIComponent(post.id)}`

const time = (at: number): Html => {
  const iso = DateTime.formatIso(DateTime.makeUnsafe(at))
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}

const replyNotes: Readonly<Record<string, string>> = {
  following: "Accounts they follow can reply",
  mentionedUsers: "Only mentioned accounts can reply",
  subscribers: "Subscribers can reply",
  verified: "Verified accounts can reply"
}

const replyNote = (post: SandboxPost): ReadonlyArray<Html> =>
  post.replySettings === null ? [] : [html`<p class="note">${replyNotes[post.replySettings] ?? post.replySettings}</p>`]

const avatar = (post: SandboxPost): Html => {
  const [initial = "?"] = post.displayName
  const color = Array.from(post.accountId).reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % colors
  return html`<span class="avatar color-${color}" aria-hidden="true">${initial}</span>`
}

/** A post in a timeline. */
export const postCard = (post: SandboxPost): Html =>
  html`<article class="post">
${avatar(post)}
<div class="body">
<header><strong>${post.displayName}</strong> <span class="handle">@${post.username}</span></header>
<p class="text">${postText(post)}</p>
${postMedia(post)}${linkCard(post)}${replyNote(post)}<footer><a href="${postPath(post)}">${time(post.at)}</a></footer>
</div>
</article>
`

/** A post on a page of its own. */
export const postPage = (post: SandboxPost): string => {
  const identity = post.platform === "twitter" ? post.id : `at://${post.accountId}/app.bsky.feed.post/${post.id}`
  const platform = platformNames[post.platform]
  return layout({
    title: `${post.displayName} on ${platform} (sandbox)`,
    main: html`<section class="timeline single ${post.platform}" aria-label="${platform}">
<h2><span class="dot"></span>${platform}</h2>
${postCard(post)}<p class="identity">${identity}</p>
</section>
<p class="back"><a href="/sandbox">Back to both timelines</a></p>`
  })
}

export const missingPostPage = (): string =>
  layout({
    title: "No such post (sandbox)",
    main: html`<section class="timeline single"><p class="empty">There is no such post in the sandbox.</p></section>
<p class="back"><a href="/sandbox">Back to both timelines</a></p>`
  })
