import type { Platform } from "../../../domain/platform.ts"
import type { PostFilters } from "../../api/posts.ts"
import { platformNames } from "../../../domain/plain/platforms.ts"
import { dayKey, parseDay } from "../../ui/time/day.ts"
import { formatsOf } from "../../ui/time/formats.ts"
import { addDays, startOfDay } from "../../ui/time/time.ts"
import { timeOfZone } from "../../ui/time/zone.ts"

/** The choices of status, with their ids as they stand in the address. */
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

/** What the list of posts is narrowed to, as its address says. */
export interface Filters {
  readonly status: StatusFilter | undefined
  readonly platform: Platform | undefined
  readonly tag: string | undefined
  /** The first and the last day, such as `2026-11-24`. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly sort: Sort
}

const isPlatform = (text: string | null): text is Platform => text !== null && Object.hasOwn(platformNames, text)

const platformIn = (query: URLSearchParams): Platform | undefined => {
  const text = query.get("platform")
  return isPlatform(text) ? text : undefined
}

const tagIn = (query: URLSearchParams): string | undefined => {
  const tag = query.get("tag")?.trim()
  return tag === "" ? undefined : tag
}

const dayOf = (text: string | null): string | undefined =>
  text !== null && parseDay(text) !== undefined ? text : undefined

/** The filters of an address. What is not understood is left out. */
export const readFilters = (query: URLSearchParams): Filters => ({
  status: statusFilters.find(({ id }) => id === query.get("status"))?.id,
  platform: platformIn(query),
  tag: tagIn(query),
  from: dayOf(query.get("from")),
  to: dayOf(query.get("to")),
  sort: sorts.find(({ id }) => id === query.get("sort"))?.id ?? "newest"
})

export const hasFilters = ({ from, platform, status, tag, to }: Filters): boolean =>
  [from, platform, status, tag, to].some((value) => value !== undefined)

export const noFilters = { status: undefined, platform: undefined, tag: undefined, from: undefined, to: undefined }

const pageSize = 100

/** What the API is asked for. Days are those of the browser's zone. */
export const toRequest = ({ from, platform, sort, status, tag, to }: Filters): PostFilters => {
  const first = from === undefined ? undefined : parseDay(from)
  const last = to === undefined ? undefined : parseDay(to)
  return {
    ...(status === "approval" ? { approval: "requested" } : { status }),
    platform,
    tag,
    scheduled_from: first?.toISOString(),
    scheduled_to: last && addDays(last, 1).toISOString(),
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

/** Ranges that people ask for most. */
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

/** A range of days as people say it. */
export const describeRange = ({ from, to }: Pick<Filters, "from" | "to">, now: Date): string | undefined => {
  if (from === undefined && to === undefined) return undefined
  const known = timeRanges(now).find((each) => each.from === from && each.to === to)
  if (known !== undefined) return known.label
  const first = from === undefined ? undefined : parseDay(from)
  const last = to === undefined ? undefined : parseDay(to)
  if (first !== undefined && last !== undefined) return dayFormat().formatRange(first, last)
  return first === undefined ? `Until ${dayFormat().format(last)}` : `Since ${dayFormat().format(first)}`
}
