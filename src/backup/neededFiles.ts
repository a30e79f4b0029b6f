import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { PostId, WorkspaceId } from "../domain/ids.ts"

const maxFiles = 10_000

const NeededFile = Schema.Struct({ workspaceId: WorkspaceId, postId: PostId, hash: Schema.String })
export type NeededFile = typeof NeededFile.Type

/** The stored files of unfinished posts, drafts included: the earliest posts first, at most 10,000 files. */
export const findNeededFiles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* SqlSchema.findAll({
    Request: Schema.Void,
    Result: NeededFile,
    execute: () => sql`
      SELECT u.workspace_id AS "workspaceId", u.post_id AS "postId", f.hash FROM post_media u
      JOIN posts p ON p.workspace_id = u.workspace_id AND p.id = u.post_id
      JOIN media m ON m.workspace_id = u.workspace_id AND m.id = u.media_id
      CROSS JOIN LATERAL unnest(m.files) AS f (hash)
      WHERE p.status NOT IN ('published', 'failed') AND f.hash IS NOT NULL
      ORDER BY p.scheduled_at, u.post_id, f.hash LIMIT ${maxFiles}::int`
  })(undefined)
})
