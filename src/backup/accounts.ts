import { Effect, Result, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { IntegrationId } from "../domain/ids.ts"
import { CredentialCipher } from "../repo/integrations/CredentialCipher.ts"
import { credentialsCell } from "../repo/integrations/credentialStore.ts"

const batchSize = 500

const SealedRow = Schema.Struct({ id: IntegrationId, credentials: Schema.Uint8Array })

const findSealed = Effect.fnUntraced(function* (after: IntegrationId | null) {
  const sql = yield* SqlClient.SqlClient
  return yield* SqlSchema.findAll({
    Request: Schema.NullOr(IntegrationId),
    Result: SealedRow,
    execute: (id) => sql`
      SELECT id, credentials FROM integrations
      WHERE credentials IS NOT NULL AND (${id}::uuid IS NULL OR id > ${id}::uuid) ORDER BY id LIMIT ${batchSize}::int`
  })(after)
})

const markNeedsReconnect = Effect.fnUntraced(function* (ids: ReadonlyArray<IntegrationId>) {
  const sql = yield* SqlClient.SqlClient
  yield* SqlSchema.void({
    Request: Schema.Array(IntegrationId),
    execute: (request) => sql`
      UPDATE integrations SET status = 'needs_reconnect' WHERE id = ANY(${request}::uuid[])`
  })(ids)
})

/** Marks the accounts whose credentials no configured key decrypts. Returns their number and the total. */
export const markUnreadableAccounts = Effect.fn("markUnreadableAccounts")(function* () {
  const cipher = yield* CredentialCipher
  let total = 0
  let unreadable = 0
  let after: IntegrationId | null = null
  for (;;) {
    const rows: ReadonlyArray<typeof SealedRow.Type> = yield* findSealed(after)
    const last = rows.at(-1)
    if (last === undefined) return { total, unreadable }
    const failed = yield* Effect.filter(rows, ({ credentials, id }) =>
      Effect.map(Effect.result(cipher.open(credentialsCell(id), credentials)), Result.isFailure)
    )
    if (failed.length > 0) yield* markNeedsReconnect(failed.map(({ id }) => id))
    total += rows.length
    unreadable += failed.length
    after = last.id
  }
})
