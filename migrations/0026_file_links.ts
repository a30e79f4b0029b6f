import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * file_links: addresses under which a platform can fetch one file for a while. Only a hash of the token is stored. The
 * id ends a link, so that it can be kept where the token must not be.
 */
const statements = [
  `CREATE TABLE file_links (
    id uuid NOT NULL CONSTRAINT file_links_pk PRIMARY KEY,
    token_hash bytea NOT NULL CONSTRAINT file_links_token UNIQUE,
    workspace_id uuid NOT NULL
      CONSTRAINT file_links_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    hash text NOT NULL,
    content_type text NOT NULL,
    size bigint NOT NULL CONSTRAINT file_links_size CHECK (size >= 0),
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX file_links_by_end ON file_links (expires_at)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
