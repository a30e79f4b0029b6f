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

/** Null matches every post. */
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
  /** Drafts with an undecided request for approval of their current revision. */
  readonly approval: ApprovalFilter | null
  readonly time: TimeFilter | null
  readonly createdBy: CreatorId | null
  /** A `searchPattern` for the text, an override, or a tag. */
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

export interface SortedPosition {
  readonly id: PostId
  /** Null unless the list is sorted by `scheduled_at`. */
  readonly scheduledAt: DateTime.Utc | null
}

const isAfter = (from: DateTime.Utc | null, to: DateTime.Utc | null): boolean =>
  from !== null && to !== null && DateTime.isGreaterThan(from, to)

export const checkRanges = (filters: PostFilters): ReadonlyArray<Issue> =>
  [
    { name: "scheduled", isReversed: isAfter(filters.scheduledFrom, filters.scheduledTo) },
    { name: "created", isReversed: isAfter(filters.createdFrom, filters.createdTo) }
  ]
    .filter(({ isReversed }) => isReversed)
    .map(({ name }) => ({ path: [`${name}_from`], message: `Expected a time that is not after ${name}_to` }))
