import { Cause, Effect, Exit, Schema } from "effect"
import { PostId, WorkspaceId } from "../../domain/ids.ts"
import { batchBounds } from "../batchBounds.ts"
import { makeBatch } from "../makeBatch.ts"
import { ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { inIndexOrder } from "../postgres/indexes.ts"
import { postSizeText } from "./batches.ts"
import { quickPostColumns, QuickPostRow } from "./rows.ts"

export const greatestId = PostId.make("ffffffff-ffff-ffff-ffff-ffffffffffff")

const ListKey = Schema.Struct({
  workspaceId: WorkspaceId,
  before: PostId,
  limit: Schema.Int,
  maxBytes: Schema.Int
})

/** A literal in the statement, which bounds the planner's estimate. */
export const maxQuickPosts = 63

const QuickRow = Schema.Struct({ ...QuickPostRow.fields, found: Schema.Int })
type QuickRow = typeof QuickRow.Type

const encodeKeys = Schema.encodeSync(
  Schema.fromJsonString(Schema.Array(Schema.Struct({ ...ListKey.fields, n: Schema.Int })))
)
const decodeRows = Schema.decodeUnknownExit(Schema.Array(QuickRow))

// A constant text, as for one post. Each list is its own subquery, so its rows come in order.
const text = `SELECT key.n, post.*
  FROM json_to_recordset($1::json) AS key (n int, "workspaceId" uuid, before uuid, "limit" int, "maxBytes" int)
  CROSS JOIN LATERAL (
    SELECT ${quickPostColumns}, p.found FROM (
      SELECT p.*, (count(*) OVER ())::int AS found, sum(p.size) OVER (ORDER BY p.id DESC) - p.size AS bytes_before FROM (
        SELECT * FROM (
          SELECT p.*, ${postSizeText} AS size FROM posts p ${inIndexOrder}
          WHERE p.workspace_id >= key."workspaceId" AND (p.workspace_id, p.id) < (key."workspaceId", key.before)
          ORDER BY p.workspace_id DESC, p.id DESC LIMIT ${maxQuickPosts + 1}
        ) p LIMIT key."limit" + 1
      ) p
    ) p WHERE p.bytes_before < key."maxBytes" ORDER BY p.id DESC LIMIT key."limit") post`

/** Concurrently requested lists share a statement. It reads no approvals; its rows tell if a post has any. */
export const makeQuickList = Effect.map(ReadClient, (shared) => {
  const read = (keys: ReadonlyArray<typeof ListKey.Type>) =>
    Effect.map(
      shared.unsafe<{ readonly n: number }>(text, [encodeKeys(keys.map((key, n) => ({ ...key, n })))]),
      (rows) => {
        const found = keys.map((): Array<unknown> => [])
        for (const row of rows) found[row.n]?.push(row)
        return found.map((list): Exit.Exit<ReadonlyArray<QuickRow>> =>
          Exit.match(decodeRows(list), {
            onSuccess: Exit.succeed,
            onFailure: (cause) => Exit.die(Cause.squash(cause))
          })
        )
      }
    ).pipe(withDatabaseTimeout("listing posts"))
  return makeBatch(batchBounds.listPosts, read).call
})
