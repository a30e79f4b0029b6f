import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Every record of a workspace has its id, and refers to others by `(workspace_id, id)`, so that no row can point into
 * another workspace.
 */
const tables = [
  `CREATE TABLE workspaces (
    id uuid NOT NULL CONSTRAINT workspaces_pk PRIMARY KEY,
    name text NOT NULL CONSTRAINT workspaces_name_not_blank CHECK (name ~ '\\S'),
    created_at timestamptz NOT NULL
  )`,

  `CREATE TABLE api_keys (
    id uuid NOT NULL CONSTRAINT api_keys_pk PRIMARY KEY,
    workspace_id uuid NOT NULL CONSTRAINT api_keys_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    name text NOT NULL,
    prefix text NOT NULL,
    hash bytea NOT NULL CONSTRAINT api_keys_hash_unique UNIQUE CONSTRAINT api_keys_hash_is_sha256 CHECK (length(hash) = 32),
    scopes text[] NOT NULL,
    requires_approval boolean NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    rotated_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    CONSTRAINT api_keys_rotated_ends CHECK (rotated_at IS NULL OR expires_at IS NOT NULL)
  )`,
  `CREATE INDEX api_keys_of_workspace ON api_keys (workspace_id, id)`,

  `CREATE TABLE integrations (
    id uuid NOT NULL CONSTRAINT integrations_pk PRIMARY KEY,
    workspace_id uuid NOT NULL CONSTRAINT integrations_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    platform text NOT NULL,
    account_id text NOT NULL,
    username text NOT NULL,
    display_name text,
    avatar_url text,
    service_url text,
    status text NOT NULL
      CONSTRAINT integrations_status_known CHECK (status IN ('connected', 'needs_reconnect', 'disconnected')),
    credentials bytea,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT integrations_one_per_platform UNIQUE (workspace_id, platform),
    CONSTRAINT integrations_in_workspace UNIQUE (workspace_id, id, platform),
    CONSTRAINT integrations_credentials_while_connected CHECK ((credentials IS NULL) = (status = 'disconnected'))
  )`,

  `CREATE TABLE posts (
    id uuid NOT NULL CONSTRAINT posts_pk PRIMARY KEY,
    workspace_id uuid NOT NULL CONSTRAINT posts_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    group_id uuid,
    status text NOT NULL
      CONSTRAINT posts_status_known CHECK (status IN ('draft', 'scheduled', 'publishing', 'published', 'failed')),
    content text NOT NULL,
    scheduled_at timestamptz,
    published_at timestamptz,
    tags text[] NOT NULL,
    platform_overrides jsonb NOT NULL,
    platform_settings jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT posts_in_workspace UNIQUE (workspace_id, id),
    CONSTRAINT posts_time_unless_draft CHECK (scheduled_at IS NOT NULL OR status = 'draft'),
    CONSTRAINT posts_published_at_when_published CHECK ((published_at IS NOT NULL) = (status = 'published'))
  )`,
  // For lists by status; published posts are found in the newest-first index.
  `CREATE INDEX posts_by_status ON posts (workspace_id, status, id DESC) WHERE status <> 'published'`,
  `CREATE INDEX posts_by_group ON posts (workspace_id, group_id, id DESC) WHERE group_id IS NOT NULL`,

  `CREATE TABLE post_targets (
    id uuid NOT NULL CONSTRAINT post_targets_pk PRIMARY KEY,
    workspace_id uuid NOT NULL,
    post_id uuid NOT NULL,
    integration_id uuid NOT NULL,
    platform text NOT NULL,
    position smallint NOT NULL,
    status text NOT NULL
      CONSTRAINT post_targets_status_known CHECK (status IN ('pending', 'publishing', 'published', 'failed')),
    due_since timestamptz,
    due_at timestamptz,
    attempts integer NOT NULL DEFAULT 0 CONSTRAINT post_targets_attempts_counted CHECK (attempts >= 0),
    looks integer NOT NULL DEFAULT 0 CONSTRAINT post_targets_looks_counted CHECK (looks >= 0),
    claim_token uuid,
    lease_until timestamptz,
    prepared jsonb,
    sent_at timestamptz,
    resend_ordered boolean NOT NULL DEFAULT false,
    platform_post_id text,
    platform_post_url text,
    published_at timestamptz,
    error_code text,
    error_message text,
    error_retryable boolean,
    CONSTRAINT post_targets_post_fk FOREIGN KEY (workspace_id, post_id)
      REFERENCES posts (workspace_id, id) ON DELETE CASCADE,
    CONSTRAINT post_targets_integration_fk FOREIGN KEY (workspace_id, integration_id, platform)
      REFERENCES integrations (workspace_id, id, platform),
    CONSTRAINT post_targets_one_per_platform UNIQUE (workspace_id, post_id, platform),
    CONSTRAINT post_targets_claimed_while_publishing
      CHECK ((status = 'publishing') = (claim_token IS NOT NULL) AND (claim_token IS NULL) = (lease_until IS NULL)),
    CONSTRAINT post_targets_due_since_due CHECK ((due_at IS NULL) = (due_since IS NULL)),
    CONSTRAINT post_targets_due_unless_ended
      CHECK (CASE status WHEN 'publishing' THEN due_at IS NOT NULL WHEN 'pending' THEN true ELSE due_at IS NULL END),
    CONSTRAINT post_targets_published_at_when_published CHECK ((published_at IS NOT NULL) = (status = 'published')),
    CONSTRAINT post_targets_error_whole
      CHECK ((error_code IS NULL) = (error_message IS NULL) AND (error_code IS NULL) = (error_retryable IS NULL)),
    CONSTRAINT post_targets_error_when_failed CHECK (status <> 'failed' OR error_code IS NOT NULL),
    CONSTRAINT post_targets_prepared_before_sent CHECK (sent_at IS NULL OR prepared IS NOT NULL)
  )`,
  `CREATE INDEX post_targets_due ON post_targets (due_at) WHERE status = 'pending' AND due_at IS NOT NULL`,
  // One account's posts are sent in the order of their times. This also finds each account's next post.
  `CREATE INDEX post_targets_next_of_integration ON post_targets (integration_id, due_at)
    WHERE status = 'pending' AND due_at IS NOT NULL`,
  `CREATE UNIQUE INDEX post_targets_one_in_flight ON post_targets (integration_id) WHERE status = 'publishing'`,
  `CREATE INDEX post_targets_leased ON post_targets (lease_until) WHERE status = 'publishing'`,

  `CREATE TABLE notifications (
    id uuid NOT NULL CONSTRAINT notifications_pk PRIMARY KEY,
    workspace_id uuid NOT NULL CONSTRAINT notifications_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    type text NOT NULL,
    title text NOT NULL,
    message text NOT NULL,
    action_url text,
    metadata jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT notifications_in_workspace UNIQUE (workspace_id, id)
  )`,

  `CREATE TABLE users (
    id uuid NOT NULL CONSTRAINT users_pk PRIMARY KEY,
    email text NOT NULL CONSTRAINT users_email_lower CHECK (email = lower(email)) CONSTRAINT users_email_unique UNIQUE,
    password text NOT NULL,
    created_at timestamptz NOT NULL
  )`,

  `CREATE TABLE members (
    workspace_id uuid NOT NULL CONSTRAINT members_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT members_user_fk REFERENCES users (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    CONSTRAINT members_pk PRIMARY KEY (user_id, workspace_id)
  )`,

  `CREATE TABLE sessions (
    hash bytea NOT NULL CONSTRAINT sessions_pk PRIMARY KEY CONSTRAINT sessions_hash_is_sha256 CHECK (length(hash) = 32),
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT sessions_member_fk FOREIGN KEY (user_id, workspace_id)
      REFERENCES members (user_id, workspace_id) ON DELETE CASCADE
  )`,
  `CREATE INDEX sessions_of_member ON sessions (user_id, workspace_id)`,
  `CREATE INDEX sessions_by_expiry ON sessions (expires_at)`,

  `CREATE TABLE notification_reads (
    workspace_id uuid NOT NULL,
    notification_id uuid NOT NULL,
    user_id uuid NOT NULL,
    read_at timestamptz NOT NULL,
    CONSTRAINT notification_reads_pk PRIMARY KEY (workspace_id, notification_id, user_id),
    CONSTRAINT notification_reads_notification_fk FOREIGN KEY (workspace_id, notification_id)
      REFERENCES notifications (workspace_id, id) ON DELETE CASCADE,
    CONSTRAINT notification_reads_member_fk FOREIGN KEY (user_id, workspace_id)
      REFERENCES members (user_id, workspace_id) ON DELETE CASCADE
  )`,

  `CREATE TABLE idempotency_keys (
    workspace_id uuid NOT NULL CONSTRAINT idempotency_keys_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    answer jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT idempotency_keys_pk PRIMARY KEY (workspace_id, key)
  )`,
  `CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at)`,

  `CREATE TABLE authorisations (
    hash bytea NOT NULL CONSTRAINT authorisations_pk PRIMARY KEY,
    workspace_id uuid NOT NULL CONSTRAINT authorisations_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    verifier bytea NOT NULL,
    expires_at timestamptz NOT NULL
  )`,

  // A crash loses at most a minute of counting.
  `CREATE UNLOGGED TABLE rate_limits (
    key text NOT NULL,
    window_start timestamptz NOT NULL,
    count integer NOT NULL,
    CONSTRAINT rate_limits_pk PRIMARY KEY (key, window_start)
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(tables, (statement) => sql.unsafe(statement), { discard: true })
})
