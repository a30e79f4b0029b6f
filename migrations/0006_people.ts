import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Of people: roles, approvals, invitations, and authorizations that are begun in a browser. Besides that, copies of the
 * accounts' pictures, the trigger that keeps the version before from claiming posts with media, and of events their authors,
 * when they were first read, and a foreign key and an index of 0005 that are dropped.
 *
 * What the version before writes stays valid, so that both can run at once: added columns are nullable or have a default.
 * Members that it adds are viewers.
 */
const statements = [
  `ALTER TABLE members ADD COLUMN role text NOT NULL DEFAULT 'viewer'
    CONSTRAINT members_role_known CHECK (role IN ('viewer', 'editor', 'admin'))`,

  // One row for each revision whose approval was requested. The version before requests approval without one.
  // content, platform_overrides: the text as it was then, to show what has changed since.
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

  // An invitation to become a member, by the hash of the secret in its link.
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

  // Copies of the accounts' pictures, so that a browser asks no other host for them.
  `CREATE TABLE avatars (
    integration_id uuid NOT NULL CONSTRAINT avatars_pk PRIMARY KEY
      CONSTRAINT avatars_integration_fk REFERENCES integrations (id) ON DELETE CASCADE,
    workspace_id uuid NOT NULL,
    source_url text NOT NULL,
    content bytea CONSTRAINT avatars_content_is_small CHECK (length(content) <= 65536),
    fetched_at timestamptz NOT NULL
  )`,

  // An authorization that a person began in the browser is completed by the same session only.
  // return_to: the page to go on to.
  `ALTER TABLE authorisations ADD COLUMN session_hash bytea, ADD COLUMN return_to text`,

  // The version before media would send a post without its files, so it can't claim one that has any: its update changes no row
  // and returns none. Where no process of a later version takes the post, it is put off, and the account's other posts are not.
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
  // The claim of a version that knows media names its owner, and does not reach the function.
  `CREATE TRIGGER post_targets_claim_with_media BEFORE UPDATE ON post_targets FOR EACH ROW
    WHEN (NEW.status = 'publishing' AND NEW.claim_token IS DISTINCT FROM OLD.claim_token
      AND NEW.owner_token IS DISTINCT FROM NEW.claim_token)
    EXECUTE FUNCTION refuse_claim_without_media()`,

  // Who did what the event is about, for the post's history; null where a process of the service did, or the version before.
  `ALTER TABLE events ADD COLUMN by_key uuid, ADD COLUMN by_user uuid`,

  // events_read_at: when a client first read the workspace's events, whose order counts from then on.
  `ALTER TABLE workspaces ADD COLUMN events_read_at timestamptz`,
  // Each event that is inserted would look its workspace up and lock it, and its second version enter one more index.
  `ALTER TABLE events DROP CONSTRAINT events_workspace_fk`,
  `DROP INDEX events_by_type`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
