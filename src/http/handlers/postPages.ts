import { DateTime, Effect, Schema, Struct } from "effect"
import { type AnyPostPosition, type ListName, PostPosition, PostPositionInOrder } from "../../api/pagination.ts"
import { defaultPostLimit, maxPageBytes, type PostListQuery, wholePageLimit } from "../../api/posts/postListQuery.ts"
import { PostPage } from "../../api/posts/postResponses.ts"
import type { Issue } from "../../domain/errors.ts"
import type { PostId, WorkspaceId } from "../../domain/ids.ts"
import { checkRanges, type PostFilters, type SortedPosition } from "../../domain/posts/postList.ts"
import type { Posts, ScannedPost, ScanPosition } from "../../repo/posts/Posts.ts"
import type { PostJson } from "../../repo/posts/rows.ts"
import { Repo } from "../../repo/Repo.ts"
import { failInvalid } from "../problems.ts"
import { ListBudget } from "./ListBudget.ts"
import { makePostList, type PostList } from "./postList.ts"
import { makePostScan } from "./postScan.ts"
import { findPageNumbers, inWorkspace } from "./shared.ts"

const encodePage = Schema.encodeSync(Schema.fromJsonString(Schema.toCodecJson(PostPage)))

const emptyPage = (next: AnyPostPosition | null) => encodePage({ data: [], next_cursor: next })

const toFilters = (query: PostListQuery): PostFilters => ({
  status: query.status ?? null,
  groupId: query.group_id ?? null,
  tag: query.tag ?? null,
  platform: query.platform ?? null,
  scheduledFrom: query.scheduled_from ?? null,
  scheduledTo: query.scheduled_to ?? null,
  createdFrom: query.created_from ?? null,
  createdTo: query.created_to ?? null,
  approval: query.approval ?? null,
  time: query.time ?? null,
  createdBy: query.created_by ?? null,
  text: query.text ?? null
})

/** Identifies a list by its parameters, in canonical form, without those at their defaults. */
const nameList = (query: PostListQuery): ListName => {
  const { created_by, group_id, order, sort } = query
  const all = {
    ...Struct.omit(query, ["cursor", "limit"]),
    group_id: group_id?.toLowerCase(),
    created_by: created_by?.toLowerCase(),
    sort: sort === "created_at" ? undefined : sort,
    order: order === "desc" ? undefined : order
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, DateTime.isDateTime(value) ? DateTime.formatIso(value) : value]]
    )
  )
}

/** True for the default order, which earlier versions also know. */
const isNewestFirst = ({ order, sort }: Pick<PostListQuery, "order" | "sort">): boolean =>
  sort !== "scheduled_at" && order !== "asc"

/**
 * Refuses a cursor of another list. In another order the cursor's position means nothing, and with other filters posts
 * would silently be missing.
 */
const checkCursor = (query: PostListQuery): ReadonlyArray<Issue> => {
  const { cursor } = query
  if (cursor === undefined) return []
  const list = nameList(query)
  // Cursors of earlier versions name no list. They continue any list that is newest first.
  const continued = cursor.of ?? Struct.omit(list, ["sort", "order"])
  const others = Object.keys({ ...list, ...continued }).filter((name) => list[name] !== continued[name])
  return others.length === 0
    ? []
    : [
        {
          path: ["cursor"],
          message: `The cursor is of a list with another ${others.join(", ")}; send the same parameters as for that list`
        }
      ]
}

const isEnough = (listed: number, bytes: number) => listed >= wholePageLimit && bytes >= maxPageBytes

const findStart = ({ cursor }: PostListQuery): SortedPosition | null => {
  if (cursor === undefined) return null
  return cursor.v === 1
    ? { id: cursor.before, scheduledAt: null }
    : { id: cursor.after, scheduledAt: cursor.scheduled_at }
}

export const newestPosts = (
  posts: Pick<Posts, "list">,
  workspaceId: WorkspaceId,
  query: PostListQuery
): PostList<PostJson, PostId> => ({
  workspaceId,
  fetch: ({ after, ...batch }) => posts.list(workspaceId, { ...batch, before: after, status: query.status ?? null }),
  after: findStart(query)?.id ?? null,
  positionOf: ({ id }) => id,
  limit: query.limit ?? defaultPostLimit,
  turns: "quick",
  isEnough,
  envelope: (before) => emptyPage(before && PostPosition.make({ before, of: nameList(query) }))
})

const inOrder = (workspaceId: WorkspaceId, query: PostListQuery) => {
  const of = nameList(query)
  return {
    workspaceId,
    limit: query.limit ?? defaultPostLimit,
    isEnough,
    envelope: (last: SortedPosition | null) => {
      if (last === null) return emptyPage(null)
      // Earlier versions know only this kind of position, and must not take another kind for it.
      if (isNewestFirst(query)) return emptyPage(PostPosition.make({ before: last.id, of }))
      return emptyPage(PostPositionInOrder.make({ after: last.id, scheduled_at: last.scheduledAt, of }))
    }
  }
}

export const makePostPages = Effect.gen(function* () {
  const { posts } = yield* Repo
  const { inTurn } = yield* ListBudget
  const respondWithList = yield* makePostList

  const search = (workspaceId: WorkspaceId, query: PostListQuery, filters: PostFilters) => {
    const { order = "desc", sort = "created_at" } = query
    return respondWithList({
      ...inOrder(workspaceId, query),
      fetch: (batch) => posts.search(workspaceId, { ...batch, filters, order, sort }),
      after: findStart(query),
      positionOf: ({ id, scheduledAt }) => ({ id, scheduledAt })
    })
  }

  const scan = (workspaceId: WorkspaceId, query: PostListQuery, filters: PostFilters) => {
    const { order = "desc", sort = "created_at" } = query
    const start = findStart(query)
    return respondWithList<ScannedPost, ScanPosition>({
      ...inOrder(workspaceId, query),
      fetch: makePostScan((step) => inTurn(workspaceId)(posts.scan(workspaceId, { ...step, filters, order, sort }))),
      turns: "own",
      after: start && { ...start, tried: 0 },
      positionOf: ({ id, scheduledAt, tried }) => ({ id, scheduledAt, tried })
    })
  }

  return Effect.fnUntraced(function* (query: PostListQuery) {
    const filters = toFilters(query)
    const errors = [...checkRanges(filters), ...checkCursor(query), ...(yield* findPageNumbers)]
    if (errors.length > 0) return yield* failInvalid(errors)
    const isQuick =
      isNewestFirst(query) && Object.values(Struct.omit(filters, ["status"])).every((filter) => filter === null)
    const isScanned = filters.text !== null || filters.createdBy !== null
    return yield* inWorkspace((workspaceId) =>
      isQuick
        ? respondWithList(newestPosts(posts, workspaceId, query))
        : (isScanned ? scan : search)(workspaceId, query, filters)
    )
  })
})
