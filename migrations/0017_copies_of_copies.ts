import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * If a copy is deleted, a target that it took over goes to the copy of that copy, if there is one. Otherwise both that
 * copy and the original could be sent.
 */
const handOn = `CREATE OR REPLACE FUNCTION give_back_copied_targets() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    takers uuid[] := '{}';
    locked uuid[];
  BEGIN
    -- A copy's row is locked before the target is handed on to it, so that whoever deletes that copy finds the target. Those that were
    -- being deleted gave back theirs, or handed them on, and so what the targets name is read until it stays the same. Copies are locked
    -- after what they are copies of, and by id, as where several are deleted.
    LOOP
      locked := takers;
      takers := array(SELECT DISTINCT copied_to FROM post_targets
        WHERE workspace_id = OLD.workspace_id AND post_id = OLD.id AND copied_to IS NOT NULL ORDER BY copied_to);
      EXIT WHEN takers = locked;
      PERFORM FROM posts WHERE workspace_id = OLD.workspace_id AND id = ANY(takers) ORDER BY id FOR KEY SHARE;
    END LOOP;
    -- The original keeps the target where the copy may be out, or where the copy of it may be out, because that was deleted and gave
    -- nothing back.
    UPDATE post_targets original SET copied_to = (SELECT copy.copied_to FROM post_targets copy
        WHERE copy.workspace_id = OLD.workspace_id AND copy.post_id = OLD.id AND copy.platform = original.platform)
    WHERE original.workspace_id = OLD.workspace_id AND original.copied_to = OLD.id
      -- Targets of a post that the same statement deleted are still there, and can't be changed any more.
      AND EXISTS (SELECT FROM posts WHERE workspace_id = OLD.workspace_id AND id = original.post_id)
      AND NOT EXISTS (SELECT FROM post_targets copy
        WHERE copy.workspace_id = OLD.workspace_id AND copy.post_id = OLD.id AND copy.platform = original.platform
          AND (copy.status = 'published' OR copy.part > 1 OR copy.sent_at IS NOT NULL OR copy.reconcile_from IS NOT NULL
            OR copy.copied_to IS NOT NULL AND NOT EXISTS (SELECT FROM posts taker
              WHERE taker.workspace_id = OLD.workspace_id AND taker.id = copy.copied_to)));
    RETURN OLD;
  END $$`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(handOn)
})
