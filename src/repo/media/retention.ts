import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { MediaId, WorkspaceId } from "../../domain/ids.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import type { Media } from "./Media.ts"
import { neededUntil, unusedRetention } from "./rows.ts"

/**
 * A needed file's retention begins again once this much has passed. So an unneeded file stays for almost the whole
 * retention.
 */
const extensionStep = Duration.hours(12)

const Marked = Schema.Struct({ id: MediaId })

export const makeRetention = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const needed = sql.literal(neededUntil)

  const extend = SqlSchema.findAll({
    Request: Schema.Struct({ before: Timestamp, until: Timestamp, limit: Schema.Int }),
    Result: Marked,
    execute: ({ before, limit, until }) => sql`
      UPDATE media SET kept_until = due.until FROM (
        SELECT m.workspace_id, m.id, least(${needed}, ${until}::timestamptz) AS until FROM media m
        WHERE m.kept_until < ${before}::timestamptz AND m.removed_at IS NULL AND ${needed} > m.kept_until
          AND least(${needed}, ${until}::timestamptz) > m.kept_until
        ORDER BY m.kept_until LIMIT ${limit}::int
      ) due
      WHERE media.workspace_id = due.workspace_id AND media.id = due.id RETURNING media.id`
  })

  const extendNeeded: Media["extendNeeded"] = Effect.fn("Repo.media.extendNeeded")(function* (limit) {
    const until = DateTime.addDuration(yield* DateTime.now, unusedRetention)
    const before = DateTime.subtractDuration(until, extensionStep)
    const rows = yield* withDatabaseTimeout("extending the retention of files")(extend({ before, until, limit }))
    return rows.length
  })

  const lockExpired = SqlSchema.findAll({
    Request: Schema.Struct({ now: Timestamp, limit: Schema.Int }),
    Result: Marked,
    // Skips rows locked for a post that is being stored.
    execute: ({ limit, now }) => sql`
      SELECT m.id FROM media m
      WHERE m.removed_at IS NULL AND (m.kept_until < ${now}::timestamptz
        OR m.status = 'uploading' AND m.next_at < ${now}::timestamptz)
      ORDER BY m.kept_until LIMIT ${limit}::int FOR UPDATE SKIP LOCKED`
  })

  const mark = SqlSchema.findAll({
    Request: Schema.Struct({ now: Timestamp, ids: Schema.Array(MediaId) }),
    Result: Marked,
    // A separate statement, so that it sees posts stored before the rows were locked.
    execute: ({ ids, now }) => sql`
      UPDATE media m SET removed_at = ${now}::timestamptz WHERE m.id = ANY(${ids}::uuid[])
        AND coalesce(${needed}, '-infinity') < ${now}::timestamptz RETURNING m.id`
  })

  const markExpired: Media["markExpired"] = Effect.fn("Repo.media.markExpired")(
    function* (limit) {
      const now = yield* DateTime.now
      const locked = yield* lockExpired({ now, limit })
      return (yield* mark({ now, ids: locked.map(({ id }) => id) })).length
    },
    (effect) => withDatabaseTimeout("marking expired files")(sql.withTransaction(effect))
  )

  const findMarked = SqlSchema.findAll({
    Request: Schema.Struct({ after: Schema.NullOr(MediaId), limit: Schema.Int }),
    Result: Schema.Struct({ id: MediaId, workspaceId: WorkspaceId, hashes: Schema.Array(Schema.String) }),
    execute: ({ after, limit }) => sql`
      SELECT id, workspace_id AS "workspaceId",
        -- A row that can't be decoded would keep the files after it forever.
        ARRAY(SELECT hash FROM unnest(files) hash WHERE hash IS NOT NULL) AS hashes
      FROM media
      WHERE removed_at IS NOT NULL AND (${after}::uuid IS NULL OR id > ${after}::uuid) ORDER BY id LIMIT ${limit}::int`
  })

  const findRemoved: Media["findRemoved"] = Effect.fn("Repo.media.findRemoved")((after, limit) =>
    withDatabaseTimeout("finding removed files")(findMarked({ after, limit }))
  )

  const forgetFile = SqlSchema.void({
    Request: Schema.Struct({ workspaceId: WorkspaceId, id: MediaId }),
    // Ended posts keep the details that they show.
    execute: ({ id, workspaceId }) => sql`
      WITH uses AS (DELETE FROM post_media WHERE workspace_id = ${workspaceId}::uuid AND media_id = ${id}::uuid)
      DELETE FROM media WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND removed_at IS NOT NULL`
  })

  const forget: Media["forget"] = Effect.fn("Repo.media.forget")((workspaceId, id) =>
    withDatabaseTimeout("forgetting a file")(forgetFile({ workspaceId, id }))
  )

  return { extendNeeded, markExpired, findRemoved, forget }
})
