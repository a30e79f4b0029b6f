import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Roles, approvals, invitations, and authorizations that begin in a browser. Also copies of the accounts' pictures, the
 * trigger that keeps the version before from claiming posts with media, the authors of events and the time of their
 * first read. A foreign key and an index of 0005 are dropped.
 *
 * Compatible with the version before: see 0002. The members that it adds are viewers.
 */
const statements = [
  `ALTER TABLE members ADD COLUMN role text NOT NULL DEFAULT 'viewer'
    CONSTRAINT members_role_known CHECK (role IN ('viewer', 'editor', 'admin'))`,

  // One row per revision whose approval was requested. The version before requests approval without a row. content,
  // platform_overrides: the text at that time, to show later changes.
  `CREATE TABLE post_approvals (
    workspace_id uuid NOT NULL,
    post_id uuid NOT NULL,
    revision integer NOT NULL,
    status text NOT NULL CONSTRAINT post_approvals_status_known CHECK (status IN ('requested', 'approved', 'rejected')),
    requested_at timestamptz NOT NULL,
    content text NOT NULL,
    platform_overrides jsonb NOT NULL,
    decided_at timestamptz,
    decided_by_key uuid,
    decided_by_user uuid,
    reason text,
    CONSTRAINT post_approvals_pk PRIMARY KEY (workspace_id, post_id, revision),
    CONSTRAINT post_approvals_post_fk FOREIGN KEY (workspace_id, post_id)
      REFERENCES posts (workspace_id, id) ON DELETE CASCADE,
    CONSTRAINT post_approvals_decided CHECK ((status = 'requested') = (decided_at IS NULL)),
    CONSTRAINT post_approvals_reason_of_rejected CHECK (reason IS NULL OR status = 'rejected')
  )`,

  // By the hash of the secret in its link.
  `CREATE TABLE invites (
    id uuid NOT NULL CONSTRAINT invites_pk PRIMARY KEY,
    workspace_id uuid NOT NULL CONSTRAINT invites_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    hash bytea NOT NULL CONSTRAINT invites_hash_unique UNIQUE CONSTRAINT invites_hash_is_sha256 CHECK (length(hash) = 32),
    email text NOT NULL,
    role text NOT NULL CONSTRAINT invites_role_known CHECK (role IN ('viewer', 'editor', 'admin')),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT invites_one_per_address UNIQUE (workspace_id, email)
  )`,
  `CREATE INDEX invites_by_expiry ON invites (expires_at)`,

  // Copies of the accounts' pictures, so that a browser requests them from no other host.
  `CREATE TABLE avatars (
    integration_id uuid NOT NULL CONSTRAINT avatars_pk PRIMARY KEY
      CONSTRAINT avatars_integration_fk REFERENCES integrations (id) ON DELETE CASCADE,
    workspace_id uuid NOT NULL,
    source_url text NOT NULL,
    content bytea CONSTRAINT avatars_content_is_small CHECK (length(content) <= 65536),
    fetched_at timestamptz NOT NULL
  )`,

  // Only the session that began an authorization can complete it. return_to: the next page.
  `ALTER TABLE authorisations ADD COLUMN session_hash bytea, ADD COLUMN return_to text`,

  // The version before media would send a post without its files, so its claim of a post with files changes no row and
  // returns none. If no process of a later version takes the post, it is put off, so that it does not block the
  // account's other posts.
  `CREATE FUNCTION refuse_claim_without_media() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT EXISTS (
      SELECT FROM posts WHERE workspace_id = OLD.workspace_id AND id = OLD.post_id AND media <> '[]'
    ) THEN
      RETURN NEW;
    END IF;
    IF NOT EXISTS (SELECT FROM processes WHERE lease_until > clock_timestamp()) THEN
      UPDATE post_targets SET status = 'pending', claim_token = NULL, lease_until = NULL,
        due_at = clock_timestamp() + interval '1 minute'
      WHERE id = OLD.id;
    END IF;
    RETURN NULL;
  END $$`,
  // The claim of a version with media names its owner, and does not reach the function.
  `CREATE TRIGGER post_targets_claim_with_media BEFORE UPDATE ON post_targets FOR EACH ROW
    WHEN (NEW.status = 'publishing' AND NEW.claim_token IS DISTINCT FROM OLD.claim_token
      AND NEW.owner_token IS DISTINCT FROM NEW.claim_token)
    EXECUTE FUNCTION refuse_claim_without_media()`,

  // The author of the event, for the post's history; null for a process of the service or the version before.
  `ALTER TABLE events ADD COLUMN by_key uuid, ADD COLUMN by_user uuid`,

  // The first read of the workspace's events by a client. Their order counts from then on.
  `ALTER TABLE workspaces ADD COLUMN events_read_at timestamptz`,
  // The foreign key would look up and lock the workspace of each inserted event. The index would get another entry for
  // an event's second row version.
  `ALTER TABLE events DROP CONSTRAINT events_workspace_fk`,
  `DROP INDEX events_by_type`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
