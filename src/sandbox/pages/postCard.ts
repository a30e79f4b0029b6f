import { DateTime } from "effect"
import type { SandboxPost } from "../state/entry.ts"
import { html, type Html } from "../../domain/html.ts"
import { postText } from "./postText.ts"

const colors = 6

/** Where a post's own page is, below the sandbox's. */
const postPath = (post: SandboxPost): string =>
  post.platform === "twitter"
    ? `/sandbox/twitter/${encodeURIComponent(post.username)}/status/${encodeURIComponent(post.id)}`
    : `/sandbox/bluesky/profile/${encodeURIComponent(post.accountId)}/post/${encodeURIComponent(post.id)}`

/** A moment for people, to the second. */
const shownTime = (at: number): Html => {
  const iso = DateTime.formatIso(DateTime.makeUnsafe(at))
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}

const replies: Readonly<Record<string, string>> = {
  following: "Accounts they follow can reply",
  mentionedUsers: "Only mentioned accounts can reply",
  subscribers: "Subscribers can reply",
  verified: "Verified accounts can reply"
}

const replyNote = (post: SandboxPost): ReadonlyArray<Html> =>
  post.replySettings === null ? [] : [html`<p class="note">${replies[post.replySettings] ?? post.replySettings}</p>`]

const avatar = (post: SandboxPost): Html => {
  const [initial = "?"] = post.displayName
  const color = Array.from(post.accountId).reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % colors
  return html`<span class="avatar color-${color}" aria-hidden="true">${initial}</span>`
}

/** A post as it stands in a timeline. */
export const postCard = (post: SandboxPost): Html =>
  html`<article class="post">
${avatar(post)}
<div class="body">
<header><strong>${post.displayName}</strong> <span class="handle">@${post.username}</span></header>
<p class="text">${postText(post)}</p>
${replyNote(post)}<footer><a href="${postPath(post)}">${shownTime(post.at)}</a></footer>
</div>
</article>
`
