import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The abilities of the process that claimed a row. The version before may run together with this one, and would send an
 * animated GIF to Bluesky as a still image, and a QuickTime or WebM file under another type. It would also fail a WebM
 * file as unreadable. So the database keeps it from claiming these: its claim changes no row, and the row is put off by
 * 15 seconds, so that it does not block the account's other posts.
 *
 * `abilities` grows with each such feature (src/repo/postgres/abilities.ts), and counts only for the claim whose token
 * is `able_token`: a version before changes neither column. A later feature needs another trigger, but no column.
 */
const abilityColumns = "ADD COLUMN able_token uuid, ADD COLUMN abilities smallint"

/** `what`: a condition on the new row. Rows that are claimed by an able process never run the function. */
const claimed = (what: string) =>
  `(NEW.claim_token IS DISTINCT FROM OLD.claim_token AND NEW.claim_token IS NOT NULL AND ${what}
    AND (NEW.able_token IS DISTINCT FROM NEW.claim_token OR coalesce(NEW.abilities, 0) < 1))`

const statements = [
  `ALTER TABLE post_targets ${abilityColumns}`,
  `ALTER TABLE post_target_uploads ${abilityColumns}`,
  `ALTER TABLE media ${abilityColumns}`,

  `CREATE FUNCTION has_bluesky_video(target uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
      SELECT FROM post_targets t
      JOIN post_media file ON file.workspace_id = t.workspace_id AND file.post_id = t.post_id
      JOIN media m ON m.workspace_id = file.workspace_id AND m.id = file.media_id
      WHERE t.id = target AND t.platform = 'bluesky' AND m.content_type IN ('image/gif', 'video/quicktime', 'video/webm'))
  $$`,

  `CREATE FUNCTION refuse_claim_of_bluesky_video() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT has_bluesky_video(OLD.id) THEN
      RETURN NEW;
    END IF;
    UPDATE post_targets SET status = 'pending', claim_token = NULL, lease_until = NULL,
      due_at = clock_timestamp() + interval '15 seconds'
    WHERE id = OLD.id;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER post_targets_claim_of_bluesky_video BEFORE UPDATE ON post_targets FOR EACH ROW
    WHEN ${claimed("NEW.platform = 'bluesky' AND NEW.status = 'publishing'")}
    EXECUTE FUNCTION refuse_claim_of_bluesky_video()`,

  // The upload decides what is sent, so it is kept from that version as well.
  `CREATE FUNCTION refuse_upload_of_bluesky_video() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT has_bluesky_video(OLD.target_id) THEN
      RETURN NEW;
    END IF;
    UPDATE post_target_uploads SET status = 'waiting', claim_token = NULL, owner_id = NULL, lease_until = NULL,
      next_at = clock_timestamp() + interval '15 seconds'
    WHERE target_id = OLD.target_id;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER post_target_uploads_claim_of_bluesky_video BEFORE UPDATE ON post_target_uploads FOR EACH ROW
    WHEN ${claimed("NEW.status = 'uploading'")} EXECUTE FUNCTION refuse_upload_of_bluesky_video()`,

  `CREATE FUNCTION refuse_reading_of_webm() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE media SET claim_token = NULL, next_at = clock_timestamp() + interval '15 seconds' WHERE id = OLD.id;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER media_claim_of_webm BEFORE UPDATE ON media FOR EACH ROW
    WHEN ${claimed("NEW.status = 'processing' AND NEW.content_type = 'video/webm' AND NEW.hash IS NOT NULL")}
    EXECUTE FUNCTION refuse_reading_of_webm()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
