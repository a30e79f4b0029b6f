import { type DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { PostId } from "../domain/ids.ts"
import { isSomewhereOut } from "../repo/posts/storedPostRow.ts"
import { NullableTimestamp, Timestamp } from "../repo/postgres/rows.ts"
import { dueChannel } from "../repo/targets/dueChannel.ts"

const batchSize = 1_000

const Waiting = Schema.Struct({
  /** Due before the restore. If such a target is not found on its platform, a person decides. */
  lookedUp: Schema.Int,
  /** Due since the restore; sent immediately unless found. */
  due: Schema.Int,
  later: Schema.Int
})

const FirstTarget = Schema.Struct({
  due_at: Timestamp,
  platform: Schema.String,
  account: Schema.String,
  post_id: PostId,
  text: Schema.String
})

export interface ResumePlan {
  readonly takenAt: DateTime.Utc | null
  readonly restoredAt: DateTime.Utc | null
  readonly counts: typeof Waiting.Type
  readonly first: ReadonlyArray<typeof FirstTarget.Type>
}

const findHold = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* SqlSchema.findOneOption({
    Request: Schema.Void,
    Result: Schema.Struct({ takenAt: NullableTimestamp, restoredAt: NullableTimestamp }),
    execute: () => sql`
      SELECT taken_at AS "takenAt", restored_at AS "restoredAt" FROM publishing_state WHERE held_since IS NOT NULL`
  })(undefined)
})

const countWaiting = Effect.fnUntraced(function* (restoredAt: DateTime.Utc | null) {
  const sql = yield* SqlClient.SqlClient
  return yield* SqlSchema.findOne({
    Request: NullableTimestamp,
    Result: Waiting,
    execute: (time) => sql`
      SELECT count(*) FILTER (WHERE due_since < ${time}::timestamptz)::int AS "lookedUp",
        count(*) FILTER (WHERE due_since >= ${time}::timestamptz AND due_at <= clock_timestamp())::int AS due,
        count(*) FILTER (WHERE due_since >= ${time}::timestamptz AND due_at > clock_timestamp())::int AS later
      FROM post_targets WHERE status = 'pending' AND due_at IS NOT NULL`
  })(restoredAt).pipe(Effect.catchTag("NoSuchElementError", Effect.die))
})

const findFirst = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* SqlSchema.findAll({
    Request: Schema.Void,
    Result: FirstTarget,
    execute: () => sql`
      -- Within the times that JavaScript can represent: one row must not keep publishing from being resumed.
      SELECT greatest(least(t.due_at, '9999-01-01'), 'epoch') AS due_at, t.platform, i.username AS account, t.post_id,
        left(regexp_replace(coalesce(p.platform_overrides ->> t.platform, p.content), '[[:space:]]+', ' ', 'g'), 60) AS text
      FROM post_targets t
      JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
      JOIN integrations i ON i.workspace_id = t.workspace_id AND i.id = t.integration_id
      WHERE t.status = 'pending' AND t.due_at IS NOT NULL ORDER BY t.due_at LIMIT 20`
  })(undefined)
})

export const planResume = Effect.gen(function* () {
  const hold = yield* findHold
  if (Option.isNone(hold)) return Option.none<ResumePlan>()
  const { restoredAt, takenAt } = hold.value
  return Option.some<ResumePlan>({
    takenAt,
    restoredAt,
    counts: yield* countWaiting(restoredAt),
    first: yield* findFirst
  })
})

const draftBatch = Effect.fnUntraced(function* (after: PostId | null) {
  const sql = yield* SqlClient.SqlClient
  return yield* SqlSchema.findAll({
    Request: Schema.NullOr(PostId),
    Result: Schema.Struct({ id: PostId }),
    execute: (id) => sql`
      WITH drafted AS (
        UPDATE posts SET status = 'draft' WHERE id IN (SELECT id FROM posts p
          WHERE status = 'scheduled' AND (${id}::uuid IS NULL OR id > ${id}::uuid) AND NOT ${isSomewhereOut(sql)}
          ORDER BY id LIMIT ${batchSize}::int)
        RETURNING workspace_id, id
      ), targets AS (
        UPDATE post_targets t SET due_at = NULL, due_since = NULL FROM drafted
        WHERE t.workspace_id = drafted.workspace_id AND t.post_id = drafted.id AND t.status = 'pending'
      )
      SELECT id FROM drafted ORDER BY id`
  })(after)
})

/**
 * Makes scheduled posts drafts that keep their times. Posts that began publishing or are partly published stay
 * scheduled, because a draft would hide that. Returns the number. May be repeated after an interruption.
 */
export const makeDrafts = Effect.gen(function* () {
  let count = 0
  let after: PostId | null = null
  for (;;) {
    const drafted: ReadonlyArray<{ readonly id: PostId }> = yield* draftBatch(after)
    const last = drafted.at(-1)
    if (last === undefined) return count
    count += drafted.length
    after = last.id
  }
})

export const endHold = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE publishing_state SET held_since = NULL`
  yield* sql`SELECT pg_notify(${dueChannel}, '')`
})
