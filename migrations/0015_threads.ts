import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Threads: the parts of a post that follow its content, each published as a reply to the part before.
 *
 * The version before may run together with this one, and would publish only a thread's content. So the database keeps
 * it from claiming a thread, and from changing, scheduling and resolving a thread whose parts it does not show: it
 * finds the row locked, an error that clients retry.
 */
const statements = [
  // thread: the parts after the content, as the API shows them. reply_to: the post whose thread this one continues,
  // which may be deleted. thread_changes: grows with each change by a version that knows threads.
  `ALTER TABLE posts ADD COLUMN thread jsonb NOT NULL DEFAULT '[]', ADD COLUMN reply_to uuid,
    ADD COLUMN thread_changes integer NOT NULL DEFAULT 0`,
  // part: the target's current part. parts: the published parts, in order. part_ids: their ids on X, which no other
  // target may take. part_uploads: the uploads of later parts, by number. reply_to: the post that the first part
  // replies to. part_token: the claim's token, if the claiming process knows threads.
  `ALTER TABLE post_targets ADD COLUMN part smallint NOT NULL DEFAULT 1, ADD COLUMN parts jsonb, ADD COLUMN part_ids text[], ADD COLUMN part_uploads jsonb, ADD COLUMN reply_to jsonb,
    ADD COLUMN part_token uuid,
    -- Not validated, which would read the whole table.
    ADD CONSTRAINT post_targets_part_counted CHECK (part >= 1) NOT VALID`,
  `ALTER TABLE post_approvals ADD COLUMN thread jsonb NOT NULL DEFAULT '[]'`,
  // Each published part of a deleted thread has a row, from 1 on. The version before adds one row of part 0.
  `ALTER TABLE deleted_targets ADD COLUMN part smallint NOT NULL DEFAULT 0, DROP CONSTRAINT deleted_targets_pk,
    ADD CONSTRAINT deleted_targets_pk PRIMARY KEY (id, part)`,

  // The claim of the version before changes no row and returns none. The target is put off, so that it does not block
  // the account's other posts.
  `CREATE FUNCTION refuse_claim_of_thread() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT EXISTS (
      SELECT FROM posts WHERE workspace_id = OLD.workspace_id AND id = OLD.post_id AND (thread <> '[]' OR reply_to IS NOT NULL)
    ) THEN
      RETURN NEW;
    END IF;
    UPDATE post_targets SET status = 'pending', claim_token = NULL, lease_until = NULL,
      due_at = clock_timestamp() + interval '15 seconds'
    WHERE id = OLD.id;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER post_targets_claim_of_thread BEFORE UPDATE ON post_targets FOR EACH ROW
    WHEN (NEW.status = 'publishing' AND NEW.claim_token IS DISTINCT FROM OLD.claim_token
      AND NEW.part_token IS DISTINCT FROM NEW.claim_token)
    EXECUTE FUNCTION refuse_claim_of_thread()`,

  `CREATE FUNCTION refuse_change_of_thread() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'A thread is changed by a later version of the service' USING ERRCODE = 'lock_not_available';
  END $$`,
  `CREATE TRIGGER posts_change_of_thread BEFORE UPDATE ON posts FOR EACH ROW
    WHEN (OLD.thread <> '[]' AND NEW.thread_changes = OLD.thread_changes AND (NEW.revision <> OLD.revision
      OR OLD.status = 'draft' AND NEW.status = 'scheduled'))
    EXECUTE FUNCTION refuse_change_of_thread()`,

  // A resolution ends the current part, and not all that follow. A platform without these parts has a thread of one
  // part, which any version resolves alike.
  `CREATE FUNCTION refuse_resolution_of_thread() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (
      SELECT FROM posts CROSS JOIN jsonb_array_elements(thread) part
      WHERE workspace_id = OLD.workspace_id AND id = OLD.post_id
        AND (part -> 'platforms' = 'null' OR part -> 'platforms' ? OLD.platform)
    ) THEN
      RAISE EXCEPTION 'A thread is resolved by a later version of the service' USING ERRCODE = 'lock_not_available';
    END IF;
    RETURN NEW;
  END $$`,
  `CREATE TRIGGER post_targets_resolution_of_thread BEFORE UPDATE ON post_targets FOR EACH ROW
    WHEN (OLD.status = 'failed' AND NEW.status = 'published' AND NEW.parts IS NOT DISTINCT FROM OLD.parts)
    EXECUTE FUNCTION refuse_resolution_of_thread()`,

  // A copy of the missing parts has the rest of the thread, without the published beginning.
  `CREATE FUNCTION refuse_copy_of_beginning() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT EXISTS (
      SELECT FROM posts WHERE workspace_id = OLD.workspace_id AND id = NEW.copied_to AND reply_to IS NOT NULL
    ) THEN
      RAISE EXCEPTION 'A thread is copied by a later version of the service' USING ERRCODE = 'lock_not_available';
    END IF;
    RETURN NEW;
  END $$`,
  `CREATE TRIGGER post_targets_copy_of_beginning BEFORE UPDATE ON post_targets FOR EACH ROW
    WHEN (OLD.part > 1 AND NEW.copied_to IS NOT NULL AND NEW.copied_to IS DISTINCT FROM OLD.copied_to)
    EXECUTE FUNCTION refuse_copy_of_beginning()`,

  // The posts of a deleted thread's parts on X stay known, whichever version deletes it.
  `CREATE FUNCTION keep_deleted_parts() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO deleted_targets (id, part, workspace_id, platform, account_id, platform_post_id, texts, deleted_at)
    SELECT OLD.id, out.part, OLD.workspace_id, OLD.platform, OLD.account_id, out.id, '{}', clock_timestamp()
    FROM unnest(OLD.part_ids) WITH ORDINALITY AS out(id, part)
    WHERE OLD.account_id IS NOT NULL AND EXISTS (SELECT FROM workspaces WHERE id = OLD.workspace_id)
    ON CONFLICT DO NOTHING;
    RETURN OLD;
  END $$`,
  `CREATE TRIGGER post_targets_keep_deleted_parts AFTER DELETE ON post_targets FOR EACH ROW
    WHEN (OLD.part_ids IS NOT NULL) EXECUTE FUNCTION keep_deleted_parts()`,

  // A copy that has published a part does not give its target back.
  `CREATE OR REPLACE FUNCTION give_back_copied_targets() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE post_targets original SET copied_to = NULL
    WHERE original.workspace_id = OLD.workspace_id AND original.post_id = OLD.copied_from AND original.copied_to = OLD.id
      AND NOT EXISTS (SELECT FROM post_targets copy
        WHERE copy.workspace_id = OLD.workspace_id AND copy.post_id = OLD.id AND copy.platform = original.platform
          AND (copy.status = 'published' OR copy.part > 1 OR copy.sent_at IS NOT NULL OR copy.reconcile_from IS NOT NULL));
    RETURN OLD;
  END $$`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
