import type { SandboxPost } from "../state/entry.ts"
import { html } from "../../domain/html.ts"
import { layout } from "./layout.ts"
import { postCard } from "./postCard.ts"

/** A post by itself. */
export const postPage = (post: SandboxPost): string => {
  const identity = post.platform === "twitter" ? post.id : `at://${post.accountId}/app.bsky.feed.post/${post.id}`
  const platform = post.platform === "twitter" ? "X" : "Bluesky"
  return layout({
    title: `${post.displayName} on ${platform} (sandbox)`,
    main: html`<section class="timeline single ${post.platform}" aria-label="${platform}">
<h2><span class="dot"></span>${platform}</h2>
${postCard(post)}<p class="identity">${identity}</p>
</section>
<p class="back"><a href="/sandbox">Back to both timelines</a></p>`
  })
}

/** What is shown where there is no such post. */
export const missingPage = (): string =>
  layout({
    title: "No such post (sandbox)",
    main: html`<section class="timeline single"><p class="empty">There is no such post in the sandbox.</p></section>
<p class="back"><a href="/sandbox">Back to both timelines</a></p>`
  })
