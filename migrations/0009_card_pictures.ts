import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The stored pictures of link cards, which count in a workspace's quota. kept_until: a picture is removed then, unless
 * an unfinished post shows it. The version before stores pictures without a row, which the hourly sweep then adds.
 */
const statements = [
  `CREATE TABLE card_pictures (
    workspace_id uuid NOT NULL CONSTRAINT card_pictures_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    hash text NOT NULL,
    size bigint NOT NULL CONSTRAINT card_pictures_size_counted CHECK (size >= 0),
    kept_until timestamptz NOT NULL,
    CONSTRAINT card_pictures_pk PRIMARY KEY (workspace_id, hash)
  )`,
  `CREATE INDEX card_pictures_by_retention ON card_pictures (kept_until)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
