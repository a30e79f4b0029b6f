import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * copied_from: the post that a post is a copy of, which may be deleted by now. copied_to: the copy that took over a failed target.
 * Either of the two might be published otherwise, so the database keeps the target from being sent again, by the version before
 * too, which knows nothing of copies.
 */
const statements = [
  `ALTER TABLE posts ADD COLUMN copied_from uuid`,
  // Not validated, which would read the whole table: no row has a copy yet. It holds for every row that is written.
  `ALTER TABLE post_targets ADD COLUMN copied_to uuid,
    ADD CONSTRAINT post_targets_copied_has_ended CHECK (copied_to IS NULL OR status IN ('failed', 'published')) NOT VALID`,

  // What a copy has certainly not sent is given back with its deletion. A trigger, so that it holds whatever deletes a post.
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
