import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Compatible with the version before: see 0002. */
const statements = [
  // The posts that a deleted target owns, or may own, on its platform: a later look must not match them to another
  // target.
  `CREATE TABLE deleted_targets (
    id uuid NOT NULL CONSTRAINT deleted_targets_pk PRIMARY KEY,
    workspace_id uuid NOT NULL CONSTRAINT deleted_targets_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    platform text NOT NULL,
    account_id text NOT NULL,
    platform_post_id text,
    texts text[] NOT NULL,
    sent_until timestamptz,
    deleted_at timestamptz NOT NULL,
    CONSTRAINT deleted_targets_sent_unless_published CHECK ((platform_post_id IS NULL) = (sent_until IS NOT NULL))
  )`,
  `CREATE INDEX deleted_targets_by_platform_post ON deleted_targets (platform_post_id) WHERE platform_post_id IS NOT NULL`,
  `CREATE INDEX deleted_targets_unresolved ON deleted_targets (account_id, platform, sent_until)
    WHERE sent_until IS NOT NULL`,
  `CREATE INDEX deleted_targets_by_age ON deleted_targets (deleted_at)`,

  // reconcile_text: the text that may have been sent before the post was changed. other_version_at: the time at which
  // the post was found published in another version than the stored one.
  `ALTER TABLE post_targets ADD COLUMN reconcile_text text, ADD COLUMN other_version_at timestamptz`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
