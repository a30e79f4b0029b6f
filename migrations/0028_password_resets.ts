import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** password_resets: links with which people choose another password, by the hash of the secret in the link. */
const statements = [
  `CREATE TABLE password_resets (
    hash bytea NOT NULL CONSTRAINT password_resets_pk PRIMARY KEY
      CONSTRAINT password_resets_hash_is_sha256 CHECK (length(hash) = 32),
    user_id uuid NOT NULL CONSTRAINT password_resets_user_fk REFERENCES users (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX password_resets_of_user ON password_resets (user_id, expires_at)`,
  `CREATE INDEX password_resets_by_expiry ON password_resets (expires_at)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
