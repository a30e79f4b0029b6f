import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { IntegrationId } from "../domain/ids.ts"
import { LivePlatform } from "../domain/platform.ts"
import { allTexts } from "../repo/targets/deletedTargets.ts"

/** Only the earliest texts are compared, so a post that matches a later text is listed. */
const maxTexts = 10_000

const PlatformAccount = Schema.Struct({ platform: LivePlatform, accountId: Schema.String })
export type PlatformAccount = typeof PlatformAccount.Type

const ConnectedAccount = Schema.Struct({
  id: IntegrationId,
  accountId: Schema.String,
  username: Schema.String,
  serviceUrl: Schema.NullOr(Schema.String),
  connected: Schema.Boolean
})

/** Accounts that are connected or must be connected again; each account once, even if several workspaces have it. */
export const findAccounts = Effect.fn("findAccounts")(function* (platform: LivePlatform) {
  const sql = yield* SqlClient.SqlClient
  return yield* SqlSchema.findAll({
    Request: LivePlatform,
    Result: ConnectedAccount,
    execute: (request) => sql`
      SELECT DISTINCT ON (account_id) id, account_id AS "accountId", username, service_url AS "serviceUrl",
        status = 'connected' AS connected
      FROM integrations WHERE platform = ${request} AND status <> 'disconnected'
      ORDER BY account_id, status = 'connected' DESC, updated_at DESC`
  })(platform)
})

/** The `ids` of an account's targets, in any workspace. */
export const findPublished = Effect.fn("findPublished")(function* (
  account: PlatformAccount,
  ids: ReadonlyArray<string>
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* SqlSchema.findAll({
    Request: Schema.Struct({ ...PlatformAccount.fields, ids: Schema.Array(Schema.String) }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: (request) => sql`
      SELECT own.id FROM integrations i
      JOIN post_targets t ON t.integration_id = i.id AND t.platform = i.platform
      CROSS JOIN unnest(array_append(t.part_ids, t.platform_post_id)) own (id)
      WHERE own.id = ANY(${request.ids}::text[]) AND i.platform = ${request.platform} AND i.account_id = ${request.accountId}
        AND (t.platform_post_id = ANY(${request.ids}::text[]) OR t.part_ids && ${request.ids}::text[])`
  })({ ...account, ids })
  return new Set(rows.map(({ id }) => id))
})

/** The texts of an account's unpublished targets, drafts included, in any workspace; the earliest first. */
export const findTexts = Effect.fn("findTexts")(function* (account: PlatformAccount) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* SqlSchema.findAll({
    Request: PlatformAccount,
    Result: Schema.Struct({ texts: Schema.Array(Schema.String) }),
    execute: (request) => sql`
      SELECT ${allTexts(sql)} AS texts FROM integrations i
      JOIN post_targets t ON t.integration_id = i.id
      JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
      WHERE i.platform = ${request.platform} AND i.account_id = ${request.accountId}
        AND coalesce(t.account_id, i.account_id) = i.account_id AND t.status <> 'published'
      ORDER BY t.due_since, t.id LIMIT ${maxTexts}::int`
  })(account)
  return rows.flatMap(({ texts }) => texts)
})
