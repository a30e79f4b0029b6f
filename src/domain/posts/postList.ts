import { DateTime, Schema } from "effect"
import type { Issue } from "../errors.ts"
import type { CreatorId, GroupId, PostId } from "../ids.ts"
import type { Platform } from "../platform.ts"
import type { PostStatus } from "./post.ts"

export const PostSort = Schema.Literals(["created_at", "scheduled_at"])
export type PostSort = typeof PostSort.Type

export const ListOrder = Schema.Literals(["asc", "desc"])
export type ListOrder = typeof ListOrder.Type

export const ApprovalFilter = Schema.Literal("requested")
export type ApprovalFilter = typeof ApprovalFilter.Type

export const TimeFilter = Schema.Literal("none")
export type TimeFilter = typeof TimeFilter.Type

/** Which posts a list has; null where it makes no difference. */
export interface PostFilters {
  readonly status: PostStatus | null
  readonly groupId: GroupId | null
  readonly tag: string | null
  readonly platform: Platform | null
  /** Inclusive, as is `createdFrom`. */
  readonly scheduledFrom: DateTime.Utc | null
  /** Exclusive, as is `createdTo`. */
  readonly scheduledTo: DateTime.Utc | null
  readonly createdFrom: DateTime.Utc | null
  readonly createdTo: DateTime.Utc | null
  /** Drafts of which approval was requested as they are, and not decided. */
  readonly approval: ApprovalFilter | null
  /** Posts without a time, which are drafts. */
  readonly time: TimeFilter | null
  readonly createdBy: CreatorId | null
  /** What `searchPattern` finds in the text, in one for a platform, or in a tag. */
  readonly text: string | null
}

export const noFilters: PostFilters = {
  status: null,
  groupId: null,
  tag: null,
  platform: null,
  scheduledFrom: null,
  scheduledTo: null,
  createdFrom: null,
  createdTo: null,
  approval: null,
  time: null,
  createdBy: null,
  text: null
}

/** The place of a post in a sorted list. */
export interface SortedPosition {
  readonly id: PostId
  /** Its time in a list by `scheduled_at`, and null in others. */
  readonly scheduledAt: DateTime.Utc | null
}

const isAfter = (from: DateTime.Utc | null, to: DateTime.Utc | null): boolean =>
  from !== null && to !== null && DateTime.isGreaterThan(from, to)

/** The ranges that end before they begin. */
export const checkRanges = (filters: PostFilters): ReadonlyArray<Issue> =>
  [
    { name: "scheduled", isReversed: isAfter(filters.scheduledFrom, filters.scheduledTo) },
    { name: "created", isReversed: isAfter(filters.createdFrom, filters.createdTo) }
  ]
    .filter(({ isReversed }) => isReversed)
    .map(({ name }) => ({ path: [`${name}_from`], message: `Expected a time that is not after ${name}_to` }))
