import { Effect, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { LivePlatform } from "../../../src/domain/platform.ts"
import { TargetStatus } from "../../../src/domain/posts/post.ts"
import { query } from "./storedTargets.ts"

const StoredThread = Schema.Struct({
  postId: Schema.String,
  platform: LivePlatform,
  accountId: Schema.String,
  status: TargetStatus,
  /** The part that is published next or failed. */
  part: Schema.Int,
  /** The platform's ids of the published parts. */
  out: Schema.Array(Schema.String),
  code: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String)
})
export type StoredThread = typeof StoredThread.Type

const decode = Schema.decodeUnknownEffect(Schema.Array(StoredThread))

export const storedThreads = (url: Redacted.Redacted) =>
  query(
    url,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return yield* decode(
        yield* sql`
        SELECT post_id AS "postId", platform, account_id AS "accountId", status, part, error_code AS code, error_message AS message,
          CASE WHEN parts IS NOT NULL THEN ARRAY(SELECT part ->> 'id' FROM jsonb_path_query(parts, '$[*]') part)
            ELSE array_remove(ARRAY[platform_post_id], NULL) END AS out
        FROM post_targets`
      )
    })
  )
