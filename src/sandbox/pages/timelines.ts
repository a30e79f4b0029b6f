import { platformName } from "../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { standIns } from "../../platforms/standIns.ts"
import type { Fault, PendingFault } from "../state/faults.ts"
import type { SandboxPost } from "../state/entry.ts"
import { html, type Html } from "../../domain/html.ts"
import { layout } from "./layout.ts"
import { postCard } from "./post.ts"

const maxShown = 100

const timeline = (platform: LivePlatform, posts: ReadonlyArray<SandboxPost>): Html => {
  const own = posts.filter((post) => post.platform === platform)
  const cards =
    own.length === 0
      ? [html`<p class="empty">Nothing posted yet.</p>`]
      : own.slice(0, maxShown).map((post) => postCard(post, own))
  const more =
    own.length > maxShown ? [html`<p class="empty">The newest ${maxShown} of ${own.length} are shown.</p>`] : []
  return html`<section class="timeline ${platform}" aria-label="${platformName(platform)}">
<h2><span class="dot"></span>${platformName(platform)} <span class="count">${own.length}</span></h2>
${cards}${more}</section>
`
}

const describeFault = (fault: Fault): string => {
  const when = "when" in fault && fault.when === "after_commit" ? " after posting" : ""
  switch (fault.kind) {
    case "status":
      return `respond with ${fault.status}${when}`
    case "front":
      return `respond with a page of something in front of it, with ${fault.status}${when}`
    case "overload":
      return `respond with 503 after posting, and not show the post for ${fault.ms} ms`
    case "delay":
      return `wait ${fault.ms} ms`
    case "reset":
      return `reset the connection${when}`
    case "hang":
      return `never respond${when}`
    case "lag":
      return `hide posts younger than ${fault.ms} ms`
    case "clock":
      return `be ${fault.ms} ms behind`
    case "nulls":
      return "leave out what may be null"
    case "processing":
      return fault.error === undefined
        ? `process media for ${fault.ms ?? 0} ms`
        : `fail to process media: ${fault.error}`
    case "unseen":
      return `not show the post to replies for ${fault.ms} ms`
    case "no_replies":
      return "let nobody reply"
    case "forgotten_files":
      return "forget the files of the post"
    case "whims":
      return "fail at random, as it does"
    case "lost_blobs":
      return "lose blobs that no record has"
    case "fields":
      return `know no fields but ${fault.name}`
  }
}

const pendingFaults = (faults: ReadonlyArray<PendingFault>): ReadonlyArray<Html> =>
  faults.length === 0
    ? []
    : [
        html`<section class="faults" aria-label="Ordered faults">
<h2>Ordered faults</h2>
<ul>${faults.map(
          ({ call, fault, platform, times }) =>
            html`<li><strong>${platformName(platform)}</strong> ${call}: ${describeFault(fault)}, ${times === 1 ? "once" : `${times} times`}</li>\n`
        )}</ul>
</section>
`
      ]

const hintsFor = (enabled: ReadonlyArray<LivePlatform>) =>
  enabled.map((platform, index) => html`${index === 0 ? "" : " "}${standIns[platform].hint}`)

export const timelinesPage = (
  enabled: ReadonlyArray<LivePlatform>,
  posts: ReadonlyArray<SandboxPost>,
  faults: ReadonlyArray<PendingFault>
): string =>
  layout({
    title: "Sandbox timelines",
    isLive: true,
    enabled,
    main: html`<p class="hint">${hintsFor(enabled)}</p>
${pendingFaults(faults)}<div class="timelines">
${enabled.map((platform) => timeline(platform, posts))}</div>`
  })
