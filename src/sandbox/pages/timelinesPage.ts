import type { LivePlatform } from "../../domain/platform.ts"
import type { Fault, PendingFault } from "../state/faults.ts"
import type { SandboxPost } from "../state/entry.ts"
import { html, type Html } from "../../domain/html.ts"
import { layout } from "./layout.ts"
import { postCard } from "./postCard.ts"

const names = { twitter: "X", bluesky: "Bluesky" }
const mostShown = 100
const secondsBetween = 5

const timeline = (platform: LivePlatform, posts: ReadonlyArray<SandboxPost>): Html => {
  const own = posts.filter((post) => post.platform === platform)
  const cards =
    own.length === 0 ? [html`<p class="empty">Nothing posted yet.</p>`] : own.slice(0, mostShown).map(postCard)
  const more =
    own.length > mostShown ? [html`<p class="empty">The newest ${mostShown} of ${own.length} are shown.</p>`] : []
  return html`<section class="timeline ${platform}" aria-label="${names[platform]}">
<h2><span class="dot"></span>${names[platform]} <span class="count">${own.length}</span></h2>
${cards}${more}</section>
`
}

const described = (fault: Fault): string => {
  const when = "when" in fault && fault.when === "after_commit" ? " after posting" : ""
  switch (fault.kind) {
    case "status":
      return `answer ${fault.status}${when}`
    case "delay":
      return `wait ${fault.ms} ms`
    case "reset":
      return `break the connection${when}`
    case "hang":
      return `never answer${when}`
    case "lag":
      return `show nothing younger than ${fault.ms} ms`
  }
}

const orders = (faults: ReadonlyArray<PendingFault>): ReadonlyArray<Html> =>
  faults.length === 0
    ? []
    : [
        html`<section class="faults" aria-label="Faults that are ordered">
<h2>Ordered faults</h2>
<ul>${faults.map(
          ({ call, fault, platform, times }) =>
            html`<li><strong>${names[platform]}</strong> ${call}: ${described(fault)}, ${times === 1 ? "once" : `${times} times`}</li>\n`
        )}</ul>
</section>
`
      ]

/** Both timelines side by side, newest first. */
export const timelinesPage = (posts: ReadonlyArray<SandboxPost>, faults: ReadonlyArray<PendingFault>): string =>
  layout({
    title: "Sandbox timelines",
    refresh: secondsBetween,
    main: html`${orders(faults)}<div class="timelines">
${timeline("twitter", posts)}${timeline("bluesky", posts)}</div>`
  })
