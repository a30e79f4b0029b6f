import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { PostId, WorkspaceId } from "../../domain/ids.ts"
import { pastTolerance } from "../../domain/posts/postTime.ts"
import { isUndecided } from "../posts/undecided.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"

/** Longer than an outage. Nobody is notified about older drafts. */
const toldWithin = Duration.days(7)

const quoted = 400

export const OverdueDraft = Schema.Struct({
  workspaceId: WorkspaceId,
  id: PostId,
  scheduledAt: Timestamp,
  content: Schema.String,
  awaitsApproval: Schema.Boolean
})
export type OverdueDraft = typeof OverdueDraft.Type

/** People are notified once for each time that a draft gets. */
export interface OverdueDrafts {
  /** The most overdue first. */
  readonly find: (
    limit: number,
    except: ReadonlyArray<PostId>
  ) => Effect.Effect<ReadonlyArray<PostId>, DatabaseUnavailable>
  /** Returns the drafts still overdue. Joins the transaction that notifies. */
  readonly take: (ids: ReadonlyArray<PostId>) => Effect.Effect<ReadonlyArray<OverdueDraft>, DatabaseUnavailable>
}

const Period = { from: Timestamp, until: Timestamp }

/** Times too long past to schedule a draft for. */
const passed = Effect.map(DateTime.now, (now) => ({
  from: DateTime.subtractDuration(now, toldWithin),
  until: DateTime.subtractDuration(now, pastTolerance)
}))

export const makeOverdueDrafts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // `until` is a parameter, because a volatile function can't end the index scan.
  const isOverdue = ({ from, until }: Schema.Struct<typeof Period>["Encoded"]) => sql`status = 'draft'
    AND scheduled_at IS NOT NULL AND overdue_told_at IS DISTINCT FROM scheduled_at
    AND scheduled_at > ${from}::timestamptz AND scheduled_at < ${until}::timestamptz AND scheduled_at < clock_timestamp()`

  const findDrafts = SqlSchema.findAll({
    Request: Schema.Struct({ ...Period, limit: Schema.Int, except: Schema.Array(PostId) }),
    Result: Schema.Struct({ id: PostId }),
    execute: ({ except, limit, ...period }) => sql`
      SELECT id FROM posts WHERE ${isOverdue(period)} AND id <> ALL(${except}::uuid[])
      ORDER BY scheduled_at LIMIT ${limit}::int`
  })

  const find: OverdueDrafts["find"] = Effect.fn("Repo.overdueDrafts.find")(function* (limit, except) {
    const found = yield* findDrafts({ ...(yield* passed), limit, except })
    return found.map(({ id }) => id)
  }, withDatabaseTimeout("finding drafts whose time has passed"))

  const takeDrafts = SqlSchema.findAll({
    Request: Schema.Struct({ ...Period, ids: Schema.Array(PostId) }),
    Result: OverdueDraft,
    execute: ({ ids, ...period }) => sql`
      WITH overdue AS MATERIALIZED (
        SELECT p.id FROM unnest(${ids}::uuid[]) wanted
        CROSS JOIN LATERAL (SELECT id FROM posts WHERE id = wanted AND ${isOverdue(period)}
          FOR NO KEY UPDATE SKIP LOCKED) p
      )
      UPDATE posts p SET overdue_told_at = p.scheduled_at FROM overdue
      WHERE p.id = overdue.id AND p.id = ANY(ARRAY(SELECT id FROM overdue))
      RETURNING p.workspace_id AS "workspaceId", p.id, p.scheduled_at AS "scheduledAt",
        left(p.content, ${quoted}) AS content,
        ${sql.literal(isUndecided)} AS "awaitsApproval"`
  })

  const take: OverdueDrafts["take"] = Effect.fn("Repo.overdueDrafts.take")(function* (ids) {
    return yield* takeDrafts({ ...(yield* passed), ids })
  }, withDatabaseTimeout("marking drafts whose time has passed"))

  return { find, take } satisfies OverdueDrafts
})
