import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What the version before writes stays valid, so that both can run at once: added columns are nullable or have a default,
 * and nothing changes its name or its meaning.
 */
const statements = [
  // One row per lease of a process. A process whose lease ran out gets another row.
  `CREATE TABLE processes (
    id uuid NOT NULL CONSTRAINT processes_pk PRIMARY KEY,
    started_at timestamptz NOT NULL,
    lease_until timestamptz NOT NULL
  )`,
  `CREATE INDEX processes_by_lease ON processes (lease_until)`,

  // Whether publishing is held, and why. At most one row.
  `CREATE TABLE publishing_state (
    only_row boolean NOT NULL DEFAULT true CONSTRAINT publishing_state_pk PRIMARY KEY
      CONSTRAINT publishing_state_only_row CHECK (only_row),
    held_since timestamptz,
    taken_at timestamptz,
    restored_at timestamptz
  )`,

  // Consent to another account than the connected one, until a person decides what becomes of the posts that wait.
  `CREATE TABLE account_changes (
    hash bytea NOT NULL CONSTRAINT account_changes_pk PRIMARY KEY,
    workspace_id uuid NOT NULL CONSTRAINT account_changes_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    platform text NOT NULL,
    account bytea NOT NULL,
    expires_at timestamptz NOT NULL
  )`,

  `ALTER TABLE posts
    ADD COLUMN revision integer NOT NULL DEFAULT 1,
    ADD COLUMN created_by_key uuid,
    ADD COLUMN created_by_user uuid,
    ADD COLUMN approval_requested_revision integer`,

  `ALTER TABLE post_targets
    ADD COLUMN account_id text,
    ADD COLUMN owner_id uuid,
    ADD COLUMN owner_token uuid,
    ADD COLUMN send_token uuid,
    ADD COLUMN reconcile_from timestamptz,
    ADD COLUMN reconcile_until timestamptz`,
  `CREATE INDEX post_targets_unresolved ON post_targets (integration_id)
    WHERE sent_at IS NOT NULL AND status <> 'published'`,
  `CREATE INDEX post_targets_by_platform_post ON post_targets (integration_id, platform_post_id)
    WHERE platform = 'twitter' AND platform_post_id IS NOT NULL`,

  `ALTER TABLE api_keys ADD COLUMN rotated_from uuid`,

  `ALTER TABLE integrations ADD COLUMN host text`,

  // The member has read every notification with a smaller id.
  `ALTER TABLE members ADD COLUMN notifications_read_before uuid`,
  `CREATE INDEX members_of_workspace ON members (workspace_id, notifications_read_before)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
