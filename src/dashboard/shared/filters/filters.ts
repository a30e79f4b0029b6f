import type { Platform } from "../../../domain/platform.ts"
import type { PostFilters, PostJson } from "../../api/posts.ts"
import { isAwaitingApproval } from "../../api/postStatus.ts"
import { maxSearchLength, minSearchLength } from "../../../domain/plain/searchLimits.ts"
import { isPlatform } from "../../../domain/plain/platforms.ts"
import { dayKey, parseDay } from "../../ui/time/day.ts"
import { formatsOf } from "../../ui/time/formats.ts"
import { addDays, startOfDay } from "../../ui/time/time.ts"
import { timeOfZone } from "../../ui/time/zone.ts"

/** The ids are the values of `status` in the address. */
export const statusFilters = [
  { id: "draft", label: "Drafts" },
  { id: "approval", label: "Awaiting approval" },
  { id: "scheduled", label: "Scheduled" },
  { id: "publishing", label: "Publishing" },
  { id: "published", label: "Published" },
  { id: "failed", label: "Failed" }
] as const
export type StatusFilter = (typeof statusFilters)[number]["id"]

export const sorts = [
  { id: "newest", label: "Newest first" },
  { id: "latest", label: "Latest time first" },
  { id: "earliest", label: "Earliest time first" }
] as const
export type Sort = (typeof sorts)[number]["id"]

export interface SharedFilters {
  readonly status: StatusFilter | undefined
  readonly platform: Platform | undefined
  readonly tag: string | undefined
  /** The author: a person or an API key. */
  readonly by: string | undefined
  /** The list shows only posts that contain it. The calendar dims the others. */
  readonly text: string | undefined
}

export interface Filters extends SharedFilters {
  /** Days such as `2026-11-24`. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly sort: Sort
}

const platformIn = (query: URLSearchParams): Platform | undefined => {
  const text = query.get("platform")
  return text !== null && isPlatform(text) ? text : undefined
}

const tagIn = (query: URLSearchParams): string | undefined => {
  const tag = query.get("tag")?.trim()
  return tag === "" ? undefined : tag
}

const idPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

export const searchable = (text: string): string | undefined => {
  const trimmed = text.trim().slice(0, maxSearchLength).trim()
  return trimmed.length < minSearchLength || !trimmed.isWellFormed() || trimmed.includes("\0") ? undefined : trimmed
}

const dayOf = (text: string | null): string | undefined =>
  text !== null && parseDay(text) !== undefined ? text : undefined

/** Reads the filters from the address, except invalid ones. */
export const readSharedFilters = (query: URLSearchParams): SharedFilters => ({
  by: idPattern.exec(query.get("by") ?? "")?.[0],
  text: searchable(query.get("text") ?? ""),
  status: statusFilters.find(({ id }) => id === query.get("status"))?.id,
  platform: platformIn(query),
  tag: tagIn(query)
})

export const readFilters = (query: URLSearchParams): Filters => ({
  ...readSharedFilters(query),
  from: dayOf(query.get("from")),
  to: dayOf(query.get("to")),
  sort: sorts.find(({ id }) => id === query.get("sort"))?.id ?? "newest"
})

export const hasFilters = ({ from, to, ...shared }: Omit<Filters, "sort">): boolean =>
  [from, to, shared.by, shared.platform, shared.status, shared.tag, shared.text].some((value) => value !== undefined)

/** Without the search. */
export const countFilters = ({ by, platform, status, tag }: SharedFilters): number =>
  [by, platform, status, tag].filter((value) => value !== undefined).length

export const noFilters = {
  status: undefined,
  platform: undefined,
  tag: undefined,
  by: undefined,
  text: undefined,
  from: undefined,
  to: undefined
}

/** True if a post fits the filters. Ignores the search. */
export const fitsFilters = (post: PostJson, { by, platform, status, tag }: SharedFilters): boolean =>
  (status === undefined || (status === "approval" ? isAwaitingApproval(post) : post.status === status)) &&
  (platform === undefined || post.post_targets.some(({ integrations }) => integrations.platform === platform)) &&
  (tag === undefined || post.tags.includes(tag)) &&
  (by === undefined || post.created_by?.id === by.toLowerCase())

const pageSize = 100

/** Days are in the displayed zone. */
export const toRequest = ({ by, from, platform, sort, status, tag, text, to }: Filters): PostFilters => {
  const first = from === undefined ? undefined : parseDay(from)
  const last = to === undefined ? undefined : parseDay(to)
  return {
    ...(status === "approval" ? { approval: "requested" } : { status }),
    platform,
    tag,
    text,
    created_by: by,
    scheduled_from: first?.toISOString(),
    scheduled_to: last && startOfDay(last, 1).toISOString(),
    ...(sort === "newest" ? {} : { sort: "scheduled_at", order: sort === "latest" ? "desc" : "asc" }),
    limit: pageSize
  }
}

export interface TimeRange {
  readonly label: string
  readonly from: string | undefined
  readonly to: string | undefined
}

const range = (label: string, from: Date, to: Date): TimeRange => ({ label, from: dayKey(from), to: dayKey(to) })

export const timeRanges = (now: Date): ReadonlyArray<TimeRange> => {
  const today = startOfDay(now)
  const monthEnd = timeOfZone(today.getFullYear(), today.getMonth() + 1, 0)
  return [
    range("Today", today, today),
    range("Next 7 days", today, addDays(today, 6)),
    range("This month", timeOfZone(today.getFullYear(), today.getMonth(), 1), monthEnd),
    range("Last 7 days", addDays(today, -6), today),
    range("Last 30 days", addDays(today, -29), today)
  ]
}

const dayFormat = formatsOf(({ format }) => format({ month: "short", day: "numeric" }))

export const describeRange = ({ from, to }: Pick<Filters, "from" | "to">, now: Date): string | undefined => {
  if (from === undefined && to === undefined) return undefined
  const known = timeRanges(now).find((each) => each.from === from && each.to === to)
  if (known !== undefined) return known.label
  const first = from === undefined ? undefined : parseDay(from)
  const last = to === undefined ? undefined : parseDay(to)
  if (first !== undefined && last !== undefined) return dayFormat().formatRange(first, last)
  if (first !== undefined) return `Since ${dayFormat().format(first)}`
  return last && `Until ${dayFormat().format(last)}`
}
