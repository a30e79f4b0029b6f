import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Option, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { platformName } from "../../../src/domain/plain/platforms.ts"
import { LivePlatform } from "../../../src/domain/platform.ts"
import { TargetStatus } from "../../../src/domain/posts/post.ts"

const StoredTarget = Schema.Struct({
  content: Schema.String,
  platform: LivePlatform,
  accountId: Schema.String,
  status: TargetStatus,
  /** The post's URL on its platform. */
  url: Schema.NullOr(Schema.String),
  code: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String)
})
export type StoredTarget = typeof StoredTarget.Type

/** True if a platform says that it certainly did not publish the post. A person publishes it again. */
export const isDropped = ({ code, message, platform }: Pick<StoredTarget, "code" | "message" | "platform">) =>
  code === "rejected" &&
  message?.startsWith(platformName(platform)) === true &&
  /^\S+ ((did not|could not) (begin to )?(publish|get)|shows this video to nobody) /.test(message)

const decodeTargets = Schema.decodeUnknownEffect(Schema.Array(StoredTarget))
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ open: Schema.Int, all: Schema.Int })]))

/** Runs an effect on a separate connection. */
export const query = <A, E, R>(url: Redacted.Redacted, effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, PgClient.layer({ url, maxConnections: 1, connectTimeout: "2 seconds" }))

/** Counts the targets without a final status, and all targets. None while the database is unavailable. */
const countOpen = (url: Redacted.Redacted) =>
  query(
    url,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows =
        yield* sql`SELECT count(*) FILTER (WHERE due_at < now() + interval '1 day')::int AS open, count(*)::int AS all
        FROM post_targets`
      const [count] = yield* decodeCount(rows)
      return count
    })
  ).pipe(
    Effect.timeout("3 seconds"),
    Effect.asSome,
    Effect.catchCause(() => Effect.succeedNone)
  )

/** Waits until all targets have a final status, and logs the progress. Gives up after `timeout` milliseconds. */
export const waitUntilAllEnded = Effect.fn("waitUntilAllEnded")(function* (
  url: Redacted.Redacted,
  timeout: number,
  onProgress: (ended: number, all: number) => Effect.Effect<void>
) {
  const end = (yield* Clock.currentTimeMillis) + timeout
  for (let round = 0; (yield* Clock.currentTimeMillis) < end; round++) {
    const count = yield* countOpen(url)
    if (Option.isSome(count)) {
      const { all, open } = count.value
      if (round % 5 === 0 || open === 0) yield* onProgress(all - open, all)
      if (open === 0) return
    }
    yield* Effect.sleep("1 second")
  }
})

/** Reads all targets from the service's database. */
export const storedTargets = (url: Redacted.Redacted) =>
  query(
    url,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows =
        yield* sql`SELECT p.content, t.platform, t.account_id AS "accountId", t.status, t.platform_post_url AS url, t.error_code AS code, t.error_message AS message
        FROM post_targets t JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id`
      return yield* decodeTargets(rows)
    })
  )
