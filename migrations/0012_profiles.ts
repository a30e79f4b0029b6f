import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * People's names and preferences, and the facts by which they recognize a session. The version before inserts sessions
 * without an id, which the database then generates.
 */
const statements = [
  `ALTER TABLE users
    ADD COLUMN name text,
    ADD COLUMN theme text NOT NULL DEFAULT 'system',
    ADD COLUMN hours smallint NOT NULL DEFAULT 24,
    ADD COLUMN week_starts_on text NOT NULL DEFAULT 'monday',
    ADD COLUMN time_zone text,
    ADD COLUMN muted_notifications text[] NOT NULL DEFAULT '{}'`,
  `ALTER TABLE sessions
    ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN user_agent text`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
