import { Cause, Effect, Exit, Schema } from "effect"
import { PostId, WorkspaceId } from "../../domain/ids.ts"
import { makeBatchedCall } from "../batchedCall.ts"
import { ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { inIndexOrder } from "../postgres/indexes.ts"
import { postSizeText } from "./batches.ts"
import { quickPostColumns, QuickPostRow } from "./rows.ts"

/** An id after those of all posts. */
export const greatestId = PostId.make("ffffffff-ffff-ffff-ffff-ffffffffffff")

/** A part of a workspace's list of all posts, newest first. */
const ListKey = Schema.Struct({
  workspaceId: WorkspaceId,
  before: PostId,
  limit: Schema.Int,
  maxBytes: Schema.Int
})

/** The most posts of a part. A literal in the statement bounds the planner's estimate. */
export const maxQuickPosts = 63

/**
 * The most lists that one statement reads. All of them wait for the last one, and so do other reads on the connection.
 */
const listsTogether = 8

const QuickRow = Schema.Struct({ ...QuickPostRow.fields, found: Schema.Int })
type QuickRow = typeof QuickRow.Type

const encodeKeys = Schema.encodeSync(
  Schema.fromJsonString(Schema.Array(Schema.Struct({ ...ListKey.fields, n: Schema.Int })))
)
const decodeRows = Schema.decodeUnknownExit(Schema.Array(QuickRow))

// A constant, as for one post. Each list is a subquery of its own, so its rows come in order.
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

/**
 * Reads lists that are requested at the same moment by one statement. Rows tell if a post has an approval, which is not
 * read.
 */
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
  return makeBatchedCall(read, listsTogether)
})
