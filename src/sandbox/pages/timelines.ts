import { platformName } from "../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { standIns } from "../../platforms/standIns.ts"
import type { Fault, PendingFault } from "../state/faults.ts"
import type { SandboxPost } from "../state/entry.ts"
import { html, type Html } from "../../domain/html.ts"
import { layout } from "./layout.ts"
import { postCard } from "./post.ts"

const maxShown = 100

/** The newest posts of each platform, if there are more timelines than fit beside each other. */
const maxShownOfMany = 3

const pathOf = (platform: LivePlatform) => `/sandbox/${platform}`

interface Shown {
  readonly most: number
  /** True if a page of its own shows more of the platform. */
  readonly leadsOn: boolean
}

const timeline = (platform: LivePlatform, posts: ReadonlyArray<SandboxPost>, { leadsOn, most }: Shown): Html => {
  const own = posts.filter((post) => post.platform === platform)
  const name = platformName(platform)
  const cards =
    own.length === 0
      ? [html`<p class="empty">Nothing posted yet.</p>`]
      : own.slice(0, most).map((post) => postCard(post, own))
  const rest = leadsOn
    ? html`<a href="${pathOf(platform)}">All ${own.length} posts on ${name}</a>`
    : html`The newest ${most} of ${own.length} are shown.`
  const more = own.length > most ? [html`<p class="empty more">${rest}</p>`] : []
  return html`<section class="timeline ${platform}" aria-label="${name}">
<h2><span class="dot"></span>${name} <span class="count">${own.length}</span></h2>
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

const choice = (path: string, name: string, isCurrent: boolean): Html =>
  isCurrent ? html`<a href="${path}" aria-current="page">${name}</a> ` : html`<a href="${path}">${name}</a> `

const choices = (enabled: ReadonlyArray<LivePlatform>, only: LivePlatform | undefined): ReadonlyArray<Html> =>
  enabled.length <= 2
    ? []
    : [
        html`<nav class="platforms" aria-label="Platforms">${choice("/sandbox", "All", only === undefined)}${enabled.map(
          (platform) => choice(pathOf(platform), platformName(platform), platform === only)
        )}</nav>
`
      ]

/** The timelines of all platforms, or of `only` one. */
export const timelinesPage = (
  enabled: ReadonlyArray<LivePlatform>,
  posts: ReadonlyArray<SandboxPost>,
  faults: ReadonlyArray<PendingFault>,
  only?: LivePlatform
): string => {
  const shown = only === undefined ? enabled : [only]
  const leadsOn = shown.length > 2
  const most = leadsOn ? maxShownOfMany : maxShown
  return layout({
    title: only === undefined ? "Sandbox timelines" : `${platformName(only)} (sandbox)`,
    isLive: true,
    enabled,
    main: html`${choices(enabled, only)}${leadsOn ? "" : html`<p class="hint">${hintsFor(shown)}</p>\n`}${pendingFaults(faults)}<div class="timelines${leadsOn ? " of-many" : only === undefined ? "" : " of-one"}">
${shown.map((platform) => timeline(platform, posts, { leadsOn, most }))}</div>`
  })
}
