import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { NotFound } from "../../domain/errors.ts"
import { EventId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { authorJson } from "../postgres/author.ts"
import { ListClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { makeRemoveBefore } from "../removeBefore.ts"
import { makeDispatch } from "./dispatch.ts"
import { type Events, ListedHistoryEvent } from "./Events.ts"
import { eventColumn, makeListEvents } from "./listEvents.ts"
import { makeRecord } from "./record.ts"

export const makeEvents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lists = yield* ListClient
  // A deleted post's texts and its rejection's reason are hidden.
  const columns = sql.literal(
    `id, ${eventColumn}, ${authorJson("by_key", "by_user", "events.workspace_id")} AS by, CASE WHEN EXISTS (
      SELECT FROM posts p WHERE p.workspace_id = events.workspace_id AND p.id = events.post_id)
      THEN details ELSE details - '{before,reason}'::text[] END AS details`
  )

  const findHistory = SqlSchema.findAll({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      postId: PostId,
      limit: Schema.Int,
      before: Schema.NullOr(EventId)
    }),
    Result: ListedHistoryEvent,
    execute: ({ before, limit, postId, workspaceId }) => lists`
      SELECT ${columns} FROM events WHERE ${sql.and([
        sql`workspace_id = ${workspaceId}::uuid AND post_id = ${postId}::uuid`,
        ...(before === null ? [] : [sql`id < ${before}::uuid`])
      ])} ORDER BY id DESC LIMIT ${limit}::int`
  })

  const findPost = SqlSchema.findOne({
    Request: Schema.Struct({ workspaceId: WorkspaceId, postId: PostId }),
    Result: Schema.Struct({ known: Schema.Boolean }),
    execute: ({ postId, workspaceId }) => sql`
      SELECT EXISTS (SELECT FROM posts WHERE workspace_id = ${workspaceId}::uuid AND id = ${postId}::uuid)
        OR EXISTS (SELECT FROM events WHERE workspace_id = ${workspaceId}::uuid AND post_id = ${postId}::uuid) AS known`
  })

  const history: Events["history"] = Effect.fn("Repo.events.history")((workspaceId, postId, query) =>
    Effect.gen(function* () {
      const events = yield* findHistory({ workspaceId, postId, ...query })
      if (events.length > 0 || (yield* findPost({ workspaceId, postId })).known) return events
      return yield* new NotFound({ message: "There is no such post in this workspace" })
    }).pipe(Effect.catchTag("NoSuchElementError", Effect.die), withDatabaseTimeout("reading a post's history"))
  )

  return {
    record: yield* makeRecord,
    dispatch: yield* makeDispatch,
    list: yield* makeListEvents,
    history,
    removeBefore: yield* makeRemoveBefore("events")
  } satisfies Events
})
