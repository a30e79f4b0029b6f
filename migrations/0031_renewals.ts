import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * renewed_at: the last time at which the process got an answer from this database. unbroken_since: the time since which
 * some process or other has got one at least every `maxRenewalGap`, so that each process could renew its lease. The
 * version before writes neither.
 */
const statement = `ALTER TABLE processes ADD COLUMN renewed_at timestamptz, ADD COLUMN unbroken_since timestamptz`

export default Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))
