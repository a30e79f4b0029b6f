import { Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { IntegrationId, WorkspaceId } from "../../domain/ids.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { CredentialCipher } from "./CredentialCipher.ts"
import { isOnKnownPlatform } from "./rows.ts"

const Count = Schema.Struct({ connected: Schema.Int, unreadable: Schema.Int })

export type CredentialCount = typeof Count.Type

const Account = Schema.Struct({
  id: IntegrationId,
  workspaceId: WorkspaceId,
  platform: LivePlatform,
  username: Schema.String
})

/** Sealed values name their key, so none is decrypted. */
export interface UnreadableCredentials {
  readonly countUnreadable: Effect.Effect<CredentialCount, DatabaseUnavailable>
  /** Includes disconnected accounts. */
  readonly findUnreadable: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlySet<IntegrationId>, DatabaseUnavailable>
  /** Joins a surrounding transaction. */
  readonly markUnreadable: (limit: number) => Effect.Effect<ReadonlyArray<typeof Account.Type>, DatabaseUnavailable>
}

export const makeUnreadableCredentials = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { headers } = yield* CredentialCipher
  const length = (headers[0]?.length ?? 0) / 2
  const isUnreadable = sql`encode(substr(credentials, 1, ${length}::int), 'hex') <> ALL (${headers}::text[])`

  const count = SqlSchema.findOneOption({
    Request: Schema.Void,
    Result: Count,
    execute: () => sql`
      SELECT count(*)::int AS connected, count(*) FILTER (WHERE ${isUnreadable})::int AS unreadable
      FROM integrations WHERE status = 'connected'`
  })

  const countUnreadable: UnreadableCredentials["countUnreadable"] = count(undefined).pipe(
    Effect.map(Option.getOrElse(() => ({ connected: 0, unreadable: 0 }))),
    withDatabaseTimeout("counting credentials"),
    Effect.withSpan("Repo.integrations.countUnreadable")
  )

  const find = SqlSchema.findAll({
    Request: WorkspaceId,
    Result: Schema.Struct({ id: IntegrationId }),
    execute: (workspaceId) => sql`
      SELECT id FROM integrations
      WHERE workspace_id = ${workspaceId}::uuid AND credentials IS NOT NULL AND ${isUnreadable}`
  })

  const findUnreadable: UnreadableCredentials["findUnreadable"] = Effect.fn("Repo.integrations.findUnreadable")(
    (workspaceId) =>
      find(workspaceId).pipe(
        Effect.map((rows) => new Set(rows.map(({ id }) => id))),
        withDatabaseTimeout("finding credentials")
      )
  )

  const mark = SqlSchema.findAll({
    Request: Schema.Int,
    Result: Account,
    execute: (limit) => sql`
      UPDATE integrations SET status = 'needs_reconnect' WHERE id IN (
        SELECT id FROM integrations WHERE status = 'connected' AND ${isUnreadable} AND ${isOnKnownPlatform(sql)}
        ORDER BY id LIMIT ${limit}::int FOR NO KEY UPDATE)
      RETURNING id, workspace_id AS "workspaceId", platform, username`
  })

  const markUnreadable: UnreadableCredentials["markUnreadable"] = Effect.fn("Repo.integrations.markUnreadable")(
    (limit) => mark(limit).pipe(withDatabaseTimeout("marking accounts"))
  )

  return { countUnreadable, findUnreadable, markUnreadable } satisfies UnreadableCredentials
})
