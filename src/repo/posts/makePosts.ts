import { Cause, Effect, Exit, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { NotFound } from "../../domain/errors.ts"
import { batchBounds } from "../batchBounds.ts"
import { makeBatch } from "../makeBatch.ts"
import { ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import type { DueHere } from "../targets/dueChannel.ts"
import { makeApprovals } from "./approvals.ts"
import { makeCopyPost } from "./copyPost.ts"
import { makeCreatePost } from "./createPost.ts"
import { makeListPosts } from "./listPosts.ts"
import { makePostMedia } from "./postMedia.ts"
import type { Posts } from "./Posts.ts"
import { makePublishPost } from "./publishPost.ts"
import { makeRemovePosts } from "./removePosts.ts"
import { parsePost, postColumns, PostKey, PostRow, quickPostColumns, QuickPostRow, toPostJson } from "./rows.ts"
import { makeScanPosts } from "./scanPosts.ts"
import { makeSearchPosts } from "./searchPosts.ts"
import { makeStoredPosts, unknownPost } from "./storedPosts.ts"
import { makeUpdatePost } from "./updatePost.ts"

/** Not a schema, which would check each id again. */
const encodeKeys = (keys: ReadonlyArray<PostKey>) =>
  JSON.stringify(keys.map(({ id, workspaceId }, n) => ({ n, workspaceId, id })))
const decodeRow = Schema.decodeUnknownExit(QuickPostRow)

/** A row that does not decode fails only its own read. */
const decodeQuick = (row: unknown): Exit.Exit<typeof QuickPostRow.Type> =>
  Exit.match(decodeRow(row), { onSuccess: Exit.succeed, onFailure: (cause) => Exit.die(Cause.squash(cause)) })

const makeGetPost = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shared = yield* ReadClient
  const columns = postColumns(sql)

  // A constant, because a new text per request would be hashed to find its prepared statement. The limit makes the
  // planner look up each key separately, however many posts it expects.
  const quickText = `SELECT key.n, post.* FROM json_to_recordset($1::json) AS key (n int, "workspaceId" uuid, id uuid)
    CROSS JOIN LATERAL (
      SELECT ${quickPostColumns} FROM posts p WHERE p.workspace_id = key."workspaceId" AND p.id = key.id LIMIT 1) post`
  const readQuick = (keys: ReadonlyArray<PostKey>) =>
    Effect.map(shared.unsafe<{ readonly n: number }>(quickText, [encodeKeys(keys)]), (rows) => {
      const results = keys.map((): Exit.Exit<typeof QuickPostRow.Type, NotFound> => Exit.fail(unknownPost))
      for (const row of rows) results[row.n] = decodeQuick(row)
      return results
    }).pipe(withDatabaseTimeout("reading posts"))
  const { ask: askQuick, call: findQuick } = makeBatch(batchBounds.readPosts, readQuick)

  const findWhole = SqlSchema.findOne({
    Request: PostKey,
    Result: PostRow,
    execute: ({ id, workspaceId }) => shared`
      SELECT ${columns} FROM posts p WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = ${id}::uuid`
  })

  const readWhole = (key: PostKey) =>
    findWhole(key).pipe(
      Effect.catchTag("NoSuchElementError", () => Effect.fail(unknownPost)),
      withDatabaseTimeout("reading a post")
    )

  const show = (key: PostKey, row: typeof QuickPostRow.Type) =>
    row.hasApproval ? Effect.map(readWhole(key), toPostJson) : Effect.succeed(toPostJson(row))

  // No Effect.fn, here and elsewhere on the path of every request, because it records the stack of each call.
  const getSpan = Effect.withSpan("Repo.posts.get")
  const getJson: Posts["getJson"] = (workspaceId, id) => {
    const key = { workspaceId, id }
    return findQuick(key).pipe(
      Effect.flatMap((row) => show(key, row)),
      getSpan
    )
  }

  const askJson: Posts["askJson"] = (workspaceId, id, context, resume) => {
    const key = { workspaceId, id }
    return askQuick(key, context, (exit) => {
      if (!Exit.isSuccess(exit)) return resume(exit)
      const row = exit.value
      const isPlain = row.special === null && !row.hasApproval
      resume(isPlain ? Exit.succeed(toPostJson(row)) : Effect.suspend(() => show(key, row)))
    })
  }

  const get: Posts["get"] = (workspaceId, id) => Effect.map(getJson(workspaceId, id), ({ json }) => parsePost(json))

  return { get, getJson, askJson }
})

export const makePosts = Effect.fnUntraced(function* (dueHere: DueHere) {
  const { lockMedia, readMedia } = yield* makePostMedia
  const { update } = yield* makeUpdatePost
  const { show } = yield* makeStoredPosts
  return {
    ...(yield* makeCreatePost),
    copy: yield* makeCopyPost,
    ...(yield* makeGetPost),
    getWritten: (workspaceId, id) =>
      show({ workspaceId, id }).pipe(
        Effect.catchTag("NoSuchElementError", () => Effect.fail(unknownPost)),
        withDatabaseTimeout("reading a post")
      ),
    lockMedia,
    readMedia,
    ...(yield* makeListPosts),
    search: yield* makeSearchPosts(),
    scan: yield* makeScanPosts,
    update,
    publish: yield* makePublishPost(dueHere),
    ...(yield* makeApprovals),
    ...(yield* makeRemovePosts)
  } satisfies Posts
})
