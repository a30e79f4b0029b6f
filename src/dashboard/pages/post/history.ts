import type { HistoryEntry } from "../../api/history.ts"
import type { PostJson } from "../../api/posts.ts"
import type { ShownStatus } from "../../ui/display/StatusBadge.tsx"
import { isLive, platformNames } from "../../../domain/plain/platforms.ts"

type HistoryEvent = HistoryEntry["event"]

/** A line of a post's history, for people. */
export interface HistoryLine {
  readonly id: string
  readonly at: string
  /** Whose color and icon it has. */
  readonly status: ShownStatus
  readonly text: string
  /** Another time that the line is about, which follows the text. */
  readonly until?: string | undefined
  /** Where to look. */
  readonly url?: string | undefined
}

type Words = Pick<HistoryLine, "status" | "text" | "until" | "url">

const reasons: Readonly<Record<string, string>> = {
  rejected: "the platform refused the post",
  gave_up: "every attempt failed",
  outcome_unknown: "the platform did not say whether it is out",
  missed: "the service was down at its time",
  needs_reconnect: "the account has to be connected again",
  rate_limited: "the platform asks to wait",
  unavailable: "the platform did not respond"
}

const read = ({ data }: HistoryEvent) => {
  const members = new Map<string, unknown>(Object.entries(data))
  const text = (name: string): string | undefined => {
    const value = members.get(name)
    return typeof value === "string" ? value : undefined
  }
  const platform = text("platform")
  return {
    text,
    number: (name: string) => String(members.get(name)),
    platform: platform !== undefined && isLive(platform) ? platformNames[platform] : "the platform",
    reason: reasons[text("error_code") ?? ""]
  }
}

const withReason = (text: string, reason: string | undefined): string =>
  reason === undefined ? text : `${text}: ${reason}`

const descriptions: Readonly<Record<string, (event: ReturnType<typeof read>) => Words>> = {
  "post.scheduled": ({ text }) => ({ status: "scheduled", text: "Scheduled for", until: text("scheduled_at") }),
  "post.updated": () => ({ status: "draft", text: "Changed" }),
  "post.published": () => ({ status: "published", text: "Published on all platforms" }),
  "post.failed": () => ({ status: "failed", text: "Ended without being published everywhere" }),
  "post.target.published": ({ platform, text }) => ({
    status: "published",
    text: `Published on ${platform}`,
    url: text("url")
  }),
  "post.target.failed": ({ platform, reason, text }) => ({
    status: text("error_code") === "outcome_unknown" ? "unknown" : "failed",
    text: withReason(`Failed on ${platform}`, reason)
  }),
  "post.target.retried": ({ number, platform, reason, text }) => ({
    status: "publishing",
    text: `${withReason(`Attempt ${number("attempt")} on ${platform} failed`, reason)}. Next attempt`,
    until: text("retry_at")
  }),
  "post.approval_requested": ({ text }) => {
    const at = text("scheduled_at")
    return { status: "approval", text: at === undefined ? "Approval requested" : "Approval requested for", until: at }
  },
  "post.approved": () => ({ status: "scheduled", text: "Approved" }),
  "post.rejected": () => ({ status: "failed", text: "Rejected" }),
  "post.deleted": () => ({ status: "failed", text: "Deleted" })
}

const describeEvent = (event: HistoryEvent): Words =>
  descriptions[event.type]?.(read(event)) ?? { status: "draft", text: "Something else happened" }

/** What a person said of a target whose outcome was unknown. */
const resolutions: ReadonlyMap<string, string> = new Map([
  ["post.target.published", "Marked as published"],
  ["post.target.failed", "Marked as not published"]
])

const describeEntry = ({ by, event }: HistoryEntry): Words => {
  const words = describeEvent(event)
  if (by === null) return words
  const resolution = resolutions.get(event.type)
  if (resolution !== undefined) return { ...words, text: `${resolution} on ${read(event).platform} by ${by.name}` }
  return { ...words, text: words.text.replace(/( for)?$/, (end) => ` by ${by.name}${end}`) }
}

const decisions: ReadonlySet<string> = new Set(["post.approved", "post.rejected"])

/** The history of a post in words, newest first. It ends with who made the post, where all of it is known. */
export const describeHistory = (
  post: PostJson,
  { data, next_cursor }: { readonly data: ReadonlyArray<HistoryEntry>; readonly next_cursor: string | null }
): ReadonlyArray<HistoryLine> => {
  const lastDecision = data.find(({ event }) => decisions.has(event.type))
  const lines = data.map((entry): HistoryLine => {
    const words = describeEntry(entry)
    const reason = entry === lastDecision ? post.approval?.reason : null
    return {
      id: entry.id,
      at: entry.event.timestamp,
      ...words,
      text: `${words.text}${reason == null ? "" : `: ${reason}`}`
    }
  })
  if (next_cursor !== null) return lines
  const author = post.created_by === null ? "" : ` by ${post.created_by.name}`
  return [...lines, { id: "created", at: post.created_at, status: "draft", text: `Created${author}` }]
}
