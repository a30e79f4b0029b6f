import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * copied_from: the original of a copy, which may be deleted. copied_to: the copy that took over a failed target. The
 * database keeps such a target from being sent again, because both could be published, also by the version before.
 */
const statements = [
  `ALTER TABLE posts ADD COLUMN copied_from uuid`,
  // Not validated, which would read the whole table: no row has a copy yet. It applies to every new row.
  `ALTER TABLE post_targets ADD COLUMN copied_to uuid,
    ADD CONSTRAINT post_targets_copied_has_ended CHECK (copied_to IS NULL OR status IN ('failed', 'published')) NOT VALID`,

  // Deleting a copy gives back the targets that it has certainly not sent. A trigger, so that it covers every deletion
  // of a post.
  `CREATE FUNCTION give_back_copied_targets() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE post_targets original SET copied_to = NULL
    WHERE original.workspace_id = OLD.workspace_id AND original.post_id = OLD.copied_from AND original.copied_to = OLD.id
      AND NOT EXISTS (SELECT FROM post_targets copy
        WHERE copy.workspace_id = OLD.workspace_id AND copy.post_id = OLD.id AND copy.platform = original.platform
          AND (copy.status = 'published' OR copy.sent_at IS NOT NULL OR copy.reconcile_from IS NOT NULL));
    RETURN OLD;
  END $$`,
  `CREATE TRIGGER posts_give_back_copied_targets BEFORE DELETE ON posts FOR EACH ROW
    WHEN (OLD.copied_from IS NOT NULL) EXECUTE FUNCTION give_back_copied_targets()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
