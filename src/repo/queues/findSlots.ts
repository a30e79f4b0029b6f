import { type DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { PostId, WorkspaceId } from "../../domain/ids.ts"
import { maxHeldPosts } from "../../domain/posts/slots.ts"
import { ListClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"

interface HeldSlot {
  readonly at: DateTime.Utc
  /** The post that holds the slot, then others that are planned for its minute. At most `maxHeldPosts`. */
  readonly postIds: ReadonlyArray<PostId>
}

export interface FindSlots {
  /** The first of the instants that no post but `postId` has taken. */
  readonly findFree: (search: {
    readonly workspaceId: WorkspaceId
    readonly postId: PostId | null
    readonly instants: ReadonlyArray<DateTime.Utc>
  }) => Effect.Effect<Option.Option<DateTime.Utc>, DatabaseUnavailable>
  /** The taken ones of the instants. */
  readonly listHeld: (
    workspaceId: WorkspaceId,
    instants: ReadonlyArray<DateTime.Utc>
  ) => Effect.Effect<ReadonlyArray<HeldSlot>, DatabaseUnavailable>
}

/** Most searches end among the first instants. */
const firstInstants = 64

/**
 * The posts `p` that have taken the slot at `slot.at`: the one that holds it, and those planned for its minute. A
 * draft is planned if approval was requested. Each condition has its own index. `OFFSET 0` keeps them from being
 * merged into a join that reads all posts.
 */
const holds = (sql: SqlClient.SqlClient, workspaceId: string) =>
  sql`p.workspace_id = ${workspaceId}::uuid AND p.slot_at = slot.at`

const isPlanned = (sql: SqlClient.SqlClient, workspaceId: string) => sql`p.workspace_id = ${workspaceId}::uuid
      AND p.scheduled_at >= slot.at AND p.scheduled_at < slot.at + interval '1 minute'
      AND (p.status <> 'draft' OR p.approval_requested_revision IS NOT NULL)`

export const makeFindSlots = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lists = yield* ListClient

  const findFirst = SqlSchema.findOneOption({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      postId: Schema.NullOr(PostId),
      instants: Schema.Array(Timestamp)
    }),
    Result: Schema.Struct({ at: Timestamp }),
    execute: ({ instants, postId, workspaceId }) => sql`
      SELECT slot.at FROM unnest(${instants}::timestamptz[]) WITH ORDINALITY AS slot (at, position)
      WHERE NOT EXISTS (SELECT FROM posts p WHERE ${holds(sql, workspaceId)} AND p.id IS DISTINCT FROM ${postId}::uuid OFFSET 0)
        AND NOT EXISTS (SELECT FROM posts p WHERE ${isPlanned(sql, workspaceId)} AND p.id IS DISTINCT FROM ${postId}::uuid OFFSET 0)
      ORDER BY slot.position LIMIT 1`
  })

  const findFree: FindSlots["findFree"] = Effect.fn("Repo.queues.findFree")(function* ({ instants, ...search }) {
    const found = yield* findFirst({ ...search, instants: instants.slice(0, firstInstants) })
    const rest = instants.slice(firstInstants)
    const first = Option.isSome(found) || rest.length === 0 ? found : yield* findFirst({ ...search, instants: rest })
    return Option.map(first, ({ at }) => at)
  }, withDatabaseTimeout("finding a free slot"))

  const findHeld = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, instants: Schema.Array(Timestamp) }),
    Result: Schema.Struct({ at: Timestamp, postIds: Schema.Array(PostId) }),
    execute: ({ instants, workspaceId }) => lists`
      SELECT slot.at, taken.ids AS "postIds" FROM unnest(${instants}::timestamptz[]) AS slot (at)
      CROSS JOIN LATERAL (
        SELECT array(SELECT id FROM (
          SELECT id, 0 AS place FROM posts p WHERE ${holds(sql, workspaceId)}
          UNION
          SELECT id, (p.slot_at IS DISTINCT FROM slot.at)::int FROM posts p WHERE ${isPlanned(sql, workspaceId)}
          ORDER BY place, id LIMIT ${maxHeldPosts}::int) both_kinds OFFSET 0) AS ids) taken
      WHERE taken.ids <> '{}' ORDER BY slot.at`
  })

  const listHeld: FindSlots["listHeld"] = Effect.fn("Repo.queues.listHeld")((workspaceId, instants) =>
    findHeld({ workspaceId, instants }).pipe(withDatabaseTimeout("listing slots"))
  )

  return { findFree, listHeld } satisfies FindSlots
})
