import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Compatible with the version before, so that both can run together: added columns are nullable or have a default, and
 * no name or meaning changes. Indexes on existing tables are in src/repo/postgres/indexes.ts.
 */
const statements = [
  // One row per lease of a process. A process whose lease expired gets another row.
  `CREATE TABLE processes (
    id uuid NOT NULL CONSTRAINT processes_pk PRIMARY KEY,
    started_at timestamptz NOT NULL,
    lease_until timestamptz NOT NULL
  )`,
  `CREATE INDEX processes_by_lease ON processes (lease_until)`,

  // The hold of publishing, with its reason. At most one row.
  `CREATE TABLE publishing_state (
    only_row boolean NOT NULL DEFAULT true CONSTRAINT publishing_state_pk PRIMARY KEY
      CONSTRAINT publishing_state_only_row CHECK (only_row),
    held_since timestamptz,
    taken_at timestamptz,
    restored_at timestamptz
  )`,

  // Consent to another account than the connected one, until a person decides about the waiting posts.
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

  // more_scopes: scopes that the version before can't decode.
  `ALTER TABLE api_keys
    ADD COLUMN rotated_from uuid,
    ADD COLUMN more_scopes text[] NOT NULL DEFAULT '{}',
    ADD CONSTRAINT api_keys_powers_need_no_approval
      CHECK (NOT (requires_approval AND more_scopes && '{integrations:write,webhooks:manage}'::text[]))`,

  // Names and pictures are looked up again after a renewal of the credentials, at most once a day.
  `ALTER TABLE integrations ADD COLUMN host text, ADD COLUMN renewed_at timestamptz, ADD COLUMN profile_at timestamptz`,

  // The member has read every notification with a smaller id.
  `ALTER TABLE members ADD COLUMN notifications_read_before uuid`,
  `CREATE INDEX members_of_workspace ON members (workspace_id, notifications_read_before)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
