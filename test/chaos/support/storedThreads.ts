import { Effect, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { LivePlatform } from "../../../src/domain/platform.ts"
import { TargetStatus } from "../../../src/domain/posts/post.ts"
import { query } from "./storedTargets.ts"
import { nameInReplies } from "./threadChains.ts"

const StoredThread = Schema.Struct({
  postId: Schema.String,
  platform: LivePlatform,
  accountId: Schema.String,
  status: TargetStatus,
  /** The part that is published next or failed. */
  part: Schema.Int,
  /**
   * The published parts by their names in replies. A part is empty while the platform does not say as which post it
   * published the part.
   */
  out: Schema.Array(Schema.String),
  code: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String)
})
export type StoredThread = typeof StoredThread.Type

/** Names a part by its stored id, which ends with its key. */
const nameOf = ({ accountId, platform }: Pick<StoredThread, "accountId" | "platform">, id: string) =>
  id === "" ? "" : nameInReplies({ platform, accountId, id: id.slice(id.lastIndexOf("/") + 1) })

const decode = Schema.decodeUnknownEffect(Schema.Array(StoredThread))

export const storedThreads = (url: Redacted.Redacted) =>
  query(
    url,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const threads = yield* decode(
        yield* sql`
        SELECT post_id AS "postId", platform, account_id AS "accountId", status, part, error_code AS code, error_message AS message,
          CASE WHEN parts IS NOT NULL THEN ARRAY(SELECT coalesce(part ->> 'id', '') FROM jsonb_path_query(parts, '$[*]') part)
            WHEN status = 'published' THEN ARRAY[coalesce(platform_post_id, '')] ELSE '{}' END AS out
        FROM post_targets`
      )
      return threads.map((thread) => ({ ...thread, out: thread.out.map((id) => nameOf(thread, id)) }))
    })
  )
