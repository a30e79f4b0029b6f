import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { isEnabled, whyNotConnected } from "../../domain/enabled.ts"
import { IntegrationNotConnected } from "../../domain/errors.ts"
import { nextTargetId, TargetId } from "../../domain/ids.ts"
import { Platform } from "../../domain/platform.ts"
import { CurrentRules } from "../../platforms/rules.ts"
import { PostKey } from "./rows.ts"

export const NewTargets = Schema.Struct({
  platforms: Schema.Array(Platform),
  targetIds: Schema.Array(TargetId)
})

export const newTargets = (platforms: ReadonlyArray<Platform>) =>
  Effect.map(
    Effect.forEach(platforms, () => nextTargetId),
    (targetIds): typeof NewTargets.Type => ({ platforms, targetIds })
  )

/** A platform without an account is missing from `connected`. */
export const connectedAccounts = (
  sql: SqlClient.SqlClient,
  { platforms, targetIds, workspaceId }: typeof NewTargets.Encoded & { readonly workspaceId: string }
) => sql`connected AS (
        SELECT i.id, i.platform, i.account_id, requested.target_id, requested.position
        FROM unnest(${platforms}::text[], ${targetIds}::uuid[])
          WITH ORDINALITY AS requested(platform, target_id, position)
        JOIN integrations i ON i.workspace_id = ${workspaceId}::uuid AND i.platform = requested.platform
          AND i.status <> 'disconnected'
        -- Waits for a replacement of the account, and then reads the next one's id.
        FOR KEY SHARE OF i
      )`

export const makeRequireConnected = Effect.map(
  CurrentRules,
  (rules) => (platforms: ReadonlyArray<Platform>, connected: ReadonlyArray<Platform>) => {
    const missing = platforms.filter((platform) => !connected.includes(platform) || !isEnabled(rules, platform))
    if (missing.length === 0) return Effect.void
    const message = missing.map((platform) => whyNotConnected(platform, rules)).join("; ")
    return Effect.fail(new IntegrationNotConnected({ message, platforms: missing }))
  }
)

export const makePostTargets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const requireConnected = yield* makeRequireConnected

  /** Accounts come before posts in the lock order. */
  const lockAccounts = ({ workspaceId }: PostKey) => sql`
    SELECT id FROM integrations WHERE workspace_id = ${workspaceId}::uuid ORDER BY id FOR KEY SHARE`

  const remove = SqlSchema.findAll({
    Request: Schema.Struct({ ...PostKey.fields, platforms: Schema.Array(Platform) }),
    Result: Schema.Struct({ platform: Platform }),
    execute: ({ id, platforms, workspaceId }) => sql`
      DELETE FROM post_targets WHERE workspace_id = ${workspaceId}::uuid AND post_id = ${id}::uuid
        AND platform = ANY(${platforms}::text[]) AND status = 'pending' AND attempts = 0 AND part = 1 AND sent_at IS NULL
      RETURNING platform`
  })

  // Due times are written with the rest of the change.
  const add = SqlSchema.findAll({
    Request: Schema.Struct({ ...PostKey.fields, ...NewTargets.fields }),
    Result: Schema.Struct({ platform: Platform }),
    execute: ({ id, ...accounts }) => sql`
      WITH ${connectedAccounts(sql, accounts)}
      INSERT INTO post_targets (id, workspace_id, post_id, integration_id, account_id, platform, position, status)
      SELECT c.target_id, ${accounts.workspaceId}::uuid, ${id}::uuid, c.id, c.account_id, c.platform,
        c.position + (SELECT coalesce(max(position), 0) FROM post_targets
          WHERE workspace_id = ${accounts.workspaceId}::uuid AND post_id = ${id}::uuid), 'pending'
      FROM connected c RETURNING platform`
  })

  /** A removed target's uploads are deleted with it. */
  const changePlatforms = Effect.fnUntraced(function* (
    key: PostKey,
    before: ReadonlyArray<Platform>,
    after: ReadonlyArray<Platform>
  ) {
    const removed = before.filter((platform) => !after.includes(platform))
    const added = after.filter((platform) => !before.includes(platform))
    if (removed.length > 0) {
      const gone = yield* remove({ ...key, platforms: removed })
      if (gone.length < removed.length) return yield* Effect.die("A target was claimed under the lock of its post")
    }
    if (added.length > 0) {
      const stored = yield* add({ ...key, ...(yield* newTargets(added)) })
      yield* requireConnected(
        added,
        stored.map(({ platform }) => platform)
      )
    }
  })

  return { lockAccounts, changePlatforms }
})
