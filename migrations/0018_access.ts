import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * renewal_token, renewal_until: the process that renews the account's access, and the end of its lease. access_until:
 * the end of the last renewed access by the database's clock; null if the platform did not say, or if the account was
 * connected and not renewed since. The version before writes none of them.
 *
 * leases_renewals: true if the process honors others' leases; false for the version before.
 */
const statements = [
  `ALTER TABLE integrations
    ADD COLUMN renewal_token uuid,
    ADD COLUMN renewal_until timestamptz,
    ADD COLUMN access_until timestamptz,
    ADD CONSTRAINT integrations_renewal_whole CHECK ((renewal_token IS NULL) = (renewal_until IS NULL))`,
  `ALTER TABLE processes ADD COLUMN leases_renewals boolean NOT NULL DEFAULT false`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
