import { Cause, Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { NotFound, PostUnreadable } from "../../domain/errors.ts"
import type { PostId } from "../../domain/ids.ts"
import { issuePlaces } from "../../domain/issues.ts"
import { dueChannel } from "../targets/dueChannel.ts"
import { heldUntil } from "./postMedia.ts"
import { parsePost, postColumns, PostKey, PostRow, toPostJson } from "./rows.ts"
import { StoredPostRow, storedPostColumns } from "./storedPostRow.ts"

export const unknownPost = new NotFound({ message: "There is no such post in this workspace" })

/**
 * Keeps the text of a post `p` that an unknown process may have sent. The next look of its target `t` searches for that
 * text too, so that a change does not send the post again. A begun thread can't change its texts.
 */
export const keepText = (sql: SqlClient.SqlClient) =>
  sql.literal(`CASE WHEN t.reconcile_from IS NOT NULL AND t.sent_at IS NULL AND t.part = 1
    THEN coalesce(t.reconcile_text, p.platform_overrides ->> t.platform, p.content) ELSE t.reconcile_text END`)

/** With media, a target `t` is held until they are uploaded, unless it was sent before. */
export const dueTime = (
  sql: SqlClient.SqlClient,
  hasMedia: boolean,
  time: Statement.Fragment,
  isUploaded = sql.literal("false")
) =>
  hasMedia ? sql`CASE WHEN t.sent_at IS NOT NULL OR ${isUploaded} THEN ${time} ELSE ${heldUntil(sql, time)} END` : time

/**
 * Ends a statement that has changed a post and its targets. Reads the CTEs `post` and `changed`, because the tables
 * still show the old post.
 */
export const readChanged = (
  sql: SqlClient.SqlClient,
  { id, workspaceId }: typeof PostKey.Encoded,
  wakes: boolean,
  payload = ""
) => sql`
    , targets AS (
      SELECT * FROM changed
      UNION ALL
      SELECT * FROM post_targets t WHERE workspace_id = ${workspaceId}::uuid AND post_id = ${id}::uuid
        AND NOT EXISTS (SELECT FROM changed c WHERE c.id = t.id)
    )
    SELECT ${postColumns(sql, "targets")}, EXISTS (SELECT FROM post) AS changed,
      (SELECT pg_notify(${dueChannel}, ${payload}) WHERE ${wakes}::boolean) AS woken FROM (
      SELECT * FROM post
      UNION ALL
      SELECT * FROM posts WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND NOT EXISTS (SELECT FROM post)
    ) p`

export const orUnreadable =
  (id: PostId) =>
  <A, E, R>(found: Effect.Effect<A, E | Schema.SchemaError, R>) =>
    Effect.catchIf(found, Schema.isSchemaError, (error) =>
      Effect.logError(`A post can't be read, so it is not changed: ${issuePlaces(error)}`).pipe(
        Effect.annotateLogs({ post_id: id }),
        Effect.andThen(Effect.fail(new PostUnreadable()))
      )
    )

const orRefused =
  ({ id }: PostKey) =>
  <A, E, R>(found: Effect.Effect<A, E | Cause.NoSuchElementError | Schema.SchemaError, R>) =>
    found.pipe(
      Effect.catchIf(Cause.isNoSuchElementError, () => Effect.fail(unknownPost)),
      orUnreadable(id)
    )

export const makeStoredPosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const select = ({ id, workspaceId }: typeof PostKey.Encoded) => sql`
    SELECT ${storedPostColumns(sql)} FROM posts p WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = ${id}::uuid`

  const find = SqlSchema.findOne({ Request: PostKey, Result: StoredPostRow, execute: select })

  // A statement that waited for a lock reads the newest version of the locked row, but other rows as they were when it
  // began. So if the row has another version, its targets may have changed too.
  const findForUpdate = SqlSchema.findOne({
    Request: PostKey,
    Result: Schema.Struct({ ...StoredPostRow.fields, hasWaited: Schema.Boolean }),
    execute: ({ id, workspaceId }) => sql`
      SELECT ${storedPostColumns(sql)}, p.ctid <> (SELECT ctid FROM posts
        WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid) IS NOT FALSE AS "hasWaited"
      FROM posts p WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = ${id}::uuid FOR UPDATE`
  })

  const read = (key: PostKey) => orRefused(key)(find(key))

  const findWhole = SqlSchema.findOne({
    Request: PostKey,
    Result: PostRow,
    execute: ({ id, workspaceId }) => sql`
      SELECT ${postColumns(sql)} FROM posts p WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = ${id}::uuid`
  })

  return {
    /** Without a lock: a later write has to check that the post is unchanged. */
    read,
    lock: (key: PostKey) =>
      Effect.flatMap(orRefused(key)(findForUpdate(key)), ({ hasWaited, ...post }) =>
        hasWaited ? read(key) : Effect.succeed(post)
      ),
    /** As the API shows the post, with the surrounding transaction's writes. */
    show: (key: PostKey) => Effect.map(findWhole(key), (row) => parsePost(toPostJson(row).json))
  }
})
