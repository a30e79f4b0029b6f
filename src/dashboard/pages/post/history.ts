import type { HistoryEntry } from "../../api/history.ts"
import type { PostJson } from "../../api/posts.ts"
import type { ShownStatus } from "../../ui/display/StatusBadge.tsx"
import { mergeSaves } from "./mergeSaves.ts"
import { accountName, isLive, platformName } from "../../../domain/plain/platforms.ts"

export interface HistoryLine {
  readonly id: string
  readonly at: string
  readonly status: ShownStatus
  readonly text: string
  /** Somebody's own words, which follow the text. */
  readonly reason?: string | undefined
  readonly until?: string | undefined
  readonly url?: string | undefined
  readonly before?: ReadonlyArray<FormerText> | undefined
  /** The event's type. */
  readonly type: string
}

export interface FormerText {
  /** Undefined for the text of all platforms. */
  readonly platform?: string | undefined
  readonly text: string
}

interface Words extends Pick<HistoryLine, "status" | "text" | "until" | "url"> {
  /** Follows the author's name. If undefined, `text` ends with the name. */
  readonly deed?: string
}

const reasons: Readonly<Record<string, string>> = {
  rejected: "the platform refused the post",
  gave_up: "every attempt failed",
  outcome_unknown: "the platform did not say whether it is out",
  missed: "the service was down at its time",
  needs_reconnect: "the account has to be connected again",
  rate_limited: "the platform asks to wait",
  unavailable: "the platform did not respond"
}

const members: ReadonlyMap<string, string> = new Map([
  ["content", "the text"],
  ["platform_overrides", "a platform’s own text"],
  ["platform_settings", "the settings"],
  ["media", "the files"],
  ["thread", "the thread"],
  ["tags", "the tags"],
  ["platforms", "the platforms"],
  ["scheduled_at", "the time"],
  ["account", "the account"]
])

/** Such as "the text, the files and the tags". Undefined if no field has a name. */
const nameMembers = (changed: ReadonlyArray<string>): string | undefined => {
  const names = changed.flatMap((member) => members.get(member) ?? [])
  if (names.length === 0) return undefined
  return names.length === 1 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`
}

const read = ({ details, event: { data, timestamp } }: Pick<HistoryEntry, "details" | "event">) => {
  const given = new Map<string, unknown>(Object.entries(data))
  const text = (name: string): string | undefined => {
    const value = given.get(name)
    return typeof value === "string" ? value : undefined
  }
  const platform = text("platform") ?? details?.platform
  const nameOf = (account: string): string =>
    platform !== undefined && isLive(platform) ? accountName(platform, account) : `@${account}`
  const account = details?.account === undefined ? undefined : nameOf(details.account)
  return {
    text,
    number: (name: string) => String(given.get(name)),
    details,
    at: timestamp,
    account,
    as: account === undefined ? "" : ` as ${account}`,
    platform: platform !== undefined && isLive(platform) ? platformName(platform) : "the platform",
    reason: reasons[text("error_code") ?? ""]
  }
}

const withReason = (text: string, reason: string | undefined): string =>
  reason === undefined ? text : `${text}: ${reason}`

/** Undefined if the post was scheduled or became a draft. */
const describeChange = ({ account, details, text }: ReturnType<typeof read>): Words | undefined => {
  const { approval_renewed: isRenewed, changed = [] } = details ?? {}
  const at = text("scheduled_at")
  if (isRenewed === true && changed.includes("account")) {
    const other = account ?? "another account"
    return { status: "approval", text: `Waits for approval for ${other} now, as the account was replaced` }
  }
  if (changed.length === 0 || changed.includes("status")) return undefined
  if (at !== undefined && changed.join() === "scheduled_at") {
    return { status: "scheduled", text: "Moved to", deed: "moved it to", until: at }
  }
  const other = changed.includes("account") && account !== undefined ? ` to ${account}` : ""
  const named = nameMembers(changed)
  const names = named === undefined ? undefined : `${named}${other}`
  const waits = isRenewed === true ? ", and it still waits for approval" : ""
  return {
    status: isRenewed === true ? "approval" : at === undefined ? "draft" : "scheduled",
    text: `${names === undefined ? "Changed" : `Changed ${names}`}${waits}`,
    deed: `changed ${names ?? "it"}${waits}`
  }
}

const describeRetry = ({ details, number, platform, reason }: ReturnType<typeof read>): string => {
  if (details?.waited === true) return `Waits for ${platform}’s limit, so that its thread is not cut off. Until`
  return details?.looked === true
    ? `${withReason(`Checked whether it is out on ${platform}`, reason)}. Next check`
    : `${withReason(`Attempt ${number("attempt")} on ${platform} failed`, reason)}. Next attempt`
}

/** The time of a scheduling can be past by five minutes. Only what failed keeps an earlier one. */
const describeSentAgain = ({ at, text }: ReturnType<typeof read>): Words | undefined => {
  const planned = text("scheduled_at")
  return planned === undefined || Date.parse(at) - Date.parse(planned) < 10 * 60_000
    ? undefined
    : { status: "scheduled", text: "Sent again", deed: "sent what is missing again" }
}

const descriptions: Readonly<Record<string, (event: ReturnType<typeof read>) => Words>> = {
  "post.scheduled": (event) =>
    describeChange(event) ??
    describeSentAgain(event) ?? {
      status: "scheduled",
      text: "Scheduled for",
      deed: "scheduled it for",
      until: event.text("scheduled_at")
    },
  "post.updated": (event) =>
    describeChange(event) ??
    (event.details?.changed?.includes("status") === true
      ? { status: "draft", text: "Made a draft", deed: "made it a draft" }
      : { status: "draft", text: "Changed", deed: "changed it" }),
  "post.published": () => ({ status: "published", text: "Published on all platforms" }),
  "post.failed": () => ({ status: "failed", text: "Ended without being published everywhere" }),
  "post.target.published": ({ as, platform, text }) => ({
    status: "published",
    text: `Published on ${platform}${as}`,
    url: text("url")
  }),
  "post.target.part_published": ({ as, number, platform, text }) => ({
    status: "published",
    text: `Published part ${number("part")} on ${platform}${as}`,
    deed: `marked part ${number("part")} as published on ${platform}`,
    url: text("url")
  }),
  "post.target.failed": ({ as, platform, reason, text }) => ({
    status: text("error_code") === "outcome_unknown" ? "unknown" : "failed",
    text: withReason(`Failed on ${platform}${as}`, reason)
  }),
  "post.target.retried": (event) => ({
    status: "publishing",
    text: describeRetry(event),
    until: event.text("retry_at")
  }),
  "post.approval_requested": ({ text }) => {
    const at = text("scheduled_at")
    const end = at === undefined ? "" : " for"
    return { status: "approval", text: `Approval requested${end}`, deed: `requested approval${end}`, until: at }
  },
  "post.approved": () => ({ status: "scheduled", text: "Approved", deed: "approved it" }),
  "post.rejected": () => ({ status: "failed", text: "Rejected", deed: "rejected it" }),
  "post.deleted": () => ({ status: "failed", text: "Deleted", deed: "deleted it" })
}

const describeEvent = (entry: HistoryEntry): Words =>
  descriptions[entry.event.type]?.(read(entry)) ?? { status: "draft", text: "Something else happened" }

const resolutions: ReadonlyMap<string, string> = new Map([
  ["post.target.published", "marked it as published"],
  ["post.target.failed", "marked it as not published"]
])

const describeEntry = (entry: HistoryEntry): Words => {
  const { by, event } = entry
  const words = describeEvent(entry)
  if (by === null) return words
  const resolution = resolutions.get(event.type)
  if (resolution !== undefined) return { ...words, text: `${by.name} ${resolution} on ${read(entry).platform}` }
  return { ...words, text: words.deed === undefined ? `${words.text} by ${by.name}` : `${by.name} ${words.deed}` }
}

const formerTexts = ({ details }: HistoryEntry): ReadonlyArray<FormerText> | undefined => {
  const { content, platform_overrides: overrides = {} } = details?.before ?? {}
  const texts = [
    ...(content === undefined ? [] : [{ text: content }]),
    ...Object.entries(overrides).map(([platform, text]) => ({
      platform: isLive(platform) ? platformName(platform) : platform,
      text
    }))
  ]
  return texts.length === 0 ? undefined : texts
}

const decisions: ReadonlySet<string> = new Set(["post.approved", "post.rejected"])

/** Newest first. A complete history ends with the post's author. */
export const describeHistory = (
  post: PostJson,
  { data, next_cursor }: { readonly data: ReadonlyArray<HistoryEntry>; readonly next_cursor: string | null }
): ReadonlyArray<HistoryLine> => {
  const lastDecision = data.find(({ event }) => decisions.has(event.type))
  const all = data.map((entry) => {
    const words = describeEntry(entry)
    // Events from earlier versions of the service contain no reason.
    const reason = entry.details?.reason ?? (entry === lastDecision ? post.approval?.reason : null)
    return {
      id: entry.id,
      at: entry.event.timestamp,
      ...words,
      before: formerTexts(entry),
      reason: reason ?? undefined,
      type: entry.event.type
    }
  })
  const lines = mergeSaves(all)
  if (next_cursor !== null) return lines
  const text = post.created_by === null ? "Created" : `${post.created_by.name} created it`
  return [...lines, { id: "created", at: post.created_at, status: "draft", text, type: "post.created" }]
}
