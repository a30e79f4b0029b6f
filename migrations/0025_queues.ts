import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * queues: a workspace's times of a week. `revision` begins at 2, because 1 is the ETag of a workspace without a queue.
 *
 * slot_at: the slot that a post holds, equal to its `scheduled_at`. The unique index `posts_by_slot` lets a slot hold
 * one post. The trigger frees the slot of a post that gets another time or no time, or that was scheduled and becomes a
 * draft. It serves every writer, because the previous version moves such posts too and does not know the column.
 */
const statements = [
  `CREATE TABLE queues (
    workspace_id uuid NOT NULL CONSTRAINT queues_pk PRIMARY KEY
      CONSTRAINT queues_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    time_zone text NOT NULL,
    entries jsonb NOT NULL,
    revision int NOT NULL,
    updated_at timestamptz NOT NULL,
    updated_by_key uuid,
    updated_by_user uuid
  )`,
  `ALTER TABLE posts ADD COLUMN slot_at timestamptz`,
  `CREATE FUNCTION free_slot() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.slot_at := NULL;
    RETURN NEW;
  END $$`,
  `CREATE TRIGGER posts_free_slot BEFORE UPDATE ON posts FOR EACH ROW
    WHEN (NEW.slot_at IS NOT NULL AND (NEW.slot_at IS DISTINCT FROM NEW.scheduled_at
      OR OLD.status = 'scheduled' AND NEW.status = 'draft' AND NEW.slot_at IS NOT DISTINCT FROM OLD.slot_at))
    EXECUTE FUNCTION free_slot()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
