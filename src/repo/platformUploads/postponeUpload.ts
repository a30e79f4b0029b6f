import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { TargetError } from "../../domain/posts/post.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { Timestamp } from "../postgres/rows.ts"
import { UploadClaim } from "./PlatformUploads.ts"

const { targetId, token } = UploadClaim.fields

/** The stored media that the platform is processing. */
const Begun = Schema.Union([
  Schema.TaggedStruct("Kept", {}),
  Schema.TaggedStruct("Replaced", { begun: Schema.NullOr(Schema.Json) })
])

const Postponement = Schema.Struct({
  targetId,
  token,
  at: Timestamp,
  now: Timestamp,
  /** The attempts that don't count. */
  givesBack: Schema.Int,
  /** Null if nothing failed; the earlier reason then stays. */
  error: Schema.NullOr(TargetError),
  /** True if the target shows the error. */
  isShown: Schema.Boolean,
  begun: Begun
})

/** Returns no row if the claim is lost. */
export const makePostponeUpload = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return SqlSchema.findAll({
    Request: Postponement,
    Result: Schema.Struct({ targetId }),
    execute: ({ at, begun, error, givesBack, isShown, now, ...claim }) => {
      const stored = begun._tag === "Kept" ? sql`uploaded` : sql`${JSON.stringify(begun.begun)}::jsonb`
      // Posts are locked before targets.
      const lock = sql`held AS MATERIALIZED (
        SELECT p.id FROM posts p WHERE (p.workspace_id, p.id) IN (
          SELECT workspace_id, post_id FROM post_targets WHERE id = ${claim.targetId}::uuid) FOR UPDATE
      ),`
      const shown = sql`, shown AS (
        UPDATE post_targets t SET error_code = ${error?.code ?? null}, error_message = ${error?.message ?? null},
          error_retryable = ${error?.retryable ?? null}
        FROM waiting WHERE t.id = waiting.target_id AND t.status = 'pending' AND t.sent_at IS NULL
      )`
      return sql`
      WITH ${isShown ? lock : sql.literal("")} waiting AS (
        UPDATE post_target_uploads SET status = 'waiting', claim_token = NULL, owner_id = NULL, lease_until = NULL,
          attempts = attempts - ${givesBack}::int, uploaded = nullif(${stored}, 'null'::jsonb),
          next_at = ${onDatabaseClock(sql, sql`${at}::timestamptz`, sql`${now}::timestamptz`)},
          error_code = coalesce(${error?.code ?? null}, error_code),
          error_message = coalesce(${error?.message ?? null}, error_message)
        WHERE target_id = ${claim.targetId}::uuid AND claim_token = ${claim.token}::uuid
          ${isShown ? sql`AND EXISTS (SELECT FROM held)` : sql.literal("")}
        RETURNING target_id
      )${isShown ? shown : sql.literal("")}
      SELECT target_id AS "targetId" FROM waiting`
    }
  })
})
