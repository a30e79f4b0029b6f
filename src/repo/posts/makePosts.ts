import { Effect } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import type { DueHere } from "../targets/dueChannel.ts"
import { makeApprovals } from "./approvals.ts"
import { makeCreatePost } from "./createPost.ts"
import { makeListPosts } from "./listPosts.ts"
import { makePostMedia } from "./postMedia.ts"
import type { Posts } from "./Posts.ts"
import { makePublishPost } from "./publishPost.ts"
import { makeRemovePosts } from "./removePosts.ts"
import { parsePost, postColumns, PostKey, PostRow, quickPostColumns, QuickPostRow, toPostJson } from "./rows.ts"
import { makeSearchPosts } from "./searchPosts.ts"
import { unknownPost } from "./storedPosts.ts"
import { makeUpdatePost } from "./updatePost.ts"

const makeGetPost = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shared = yield* ReadClient
  const columns = postColumns(sql)

  // A constant: a text that is put together for each request is hashed for each, to find the statement that is prepared.
  const quickText = `SELECT ${quickPostColumns} FROM posts p WHERE p.workspace_id = $1::uuid AND p.id = $2::uuid`
  const findQuick = SqlSchema.findOne({
    Request: PostKey,
    Result: QuickPostRow,
    execute: ({ id, workspaceId }) => shared.unsafe(quickText, [workspaceId, id])
  })

  const findWhole = SqlSchema.findOne({
    Request: PostKey,
    Result: PostRow,
    execute: ({ id, workspaceId }) => shared`
      SELECT ${columns} FROM posts p WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = ${id}::uuid`
  })

  const find = (key: PostKey) =>
    Effect.filterOrElse(
      findQuick(key),
      ({ hasApproval }) => !hasApproval,
      () => findWhole(key)
    )

  // Not Effect.fn, here and where else every request passes: it records the stack of each call.
  const getSpan = Effect.withSpan("Repo.posts.get")
  const getJson: Posts["getJson"] = (workspaceId, id) =>
    find({ workspaceId, id }).pipe(
      Effect.catchTag("NoSuchElementError", () => Effect.fail(unknownPost)),
      Effect.map(toPostJson),
      withDatabaseTimeout("reading a post"),
      getSpan
    )

  const get: Posts["get"] = (workspaceId, id) => Effect.map(getJson(workspaceId, id), ({ json }) => parsePost(json))

  return { get, getJson }
})

export const makePosts = Effect.fnUntraced(function* (dueHere: DueHere) {
  const { lockMedia, readMedia } = yield* makePostMedia
  const { update } = yield* makeUpdatePost
  return {
    create: yield* makeCreatePost,
    ...(yield* makeGetPost),
    lockMedia,
    readMedia,
    ...(yield* makeListPosts),
    search: yield* makeSearchPosts(),
    update,
    publish: yield* makePublishPost(dueHere),
    ...(yield* makeApprovals),
    ...(yield* makeRemovePosts)
  } satisfies Posts
})
