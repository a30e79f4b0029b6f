import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Compatible with the version before: see 0002. Indexes on existing tables are in src/repo/postgres/indexes.ts. */
const statements = [
  // The store of this database's files. At most one row, from the first file on.
  `CREATE TABLE media_store (
    only_row boolean NOT NULL DEFAULT true CONSTRAINT media_store_pk PRIMARY KEY
      CONSTRAINT media_store_only_row CHECK (only_row),
    id uuid NOT NULL
  )`,

  // uploading: bytes are arriving, and size is their reservation. processing: facts and renditions are made. next_at:
  // the earliest time of the next step, or the end of a step's lease. files: SHA-256 in hexadecimal of all bytes in the
  // store that the row keeps. kept_until: the file is removed then, unless a post needs it.
  `CREATE TABLE media (
    id uuid NOT NULL CONSTRAINT media_pk PRIMARY KEY,
    workspace_id uuid NOT NULL CONSTRAINT media_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    status text NOT NULL
      CONSTRAINT media_status_known CHECK (status IN ('uploading', 'processing', 'ready', 'failed')),
    type text CONSTRAINT media_type_known CHECK (type IN ('image', 'gif', 'video')),
    content_type text,
    size bigint NOT NULL CONSTRAINT media_size_counted CHECK (size >= 0),
    width integer,
    height integer,
    duration_ms integer,
    facts jsonb,
    hash bytea CONSTRAINT media_hash_is_sha256 CHECK (length(hash) = 32),
    files text[] NOT NULL DEFAULT '{}',
    alt text NOT NULL DEFAULT '',
    renditions jsonb NOT NULL DEFAULT '{}',
    source_url text,
    error_code text,
    error_message text,
    created_by_key uuid,
    created_by_user uuid,
    created_at timestamptz NOT NULL,
    kept_until timestamptz NOT NULL,
    removed_at timestamptz,
    attempts integer NOT NULL DEFAULT 0 CONSTRAINT media_attempts_counted CHECK (attempts >= 0),
    next_at timestamptz,
    claim_token uuid,
    CONSTRAINT media_in_workspace UNIQUE (workspace_id, id),
    CONSTRAINT media_steps_until_ended CHECK ((next_at IS NOT NULL) = (status IN ('uploading', 'processing'))),
    CONSTRAINT media_claimed_until_ended CHECK (claim_token IS NULL OR next_at IS NOT NULL),
    CONSTRAINT media_error_whole CHECK ((error_code IS NULL) = (error_message IS NULL)),
    CONSTRAINT media_error_when_failed CHECK ((status = 'failed') = (error_code IS NOT NULL)),
    CONSTRAINT media_facts_when_ready CHECK (
      status <> 'ready' OR facts IS NOT NULL AND hash IS NOT NULL AND type IS NOT NULL AND content_type IS NOT NULL
    )
  )`,
  `CREATE INDEX media_steps ON media (next_at) WHERE next_at IS NOT NULL`,
  `CREATE INDEX media_by_file ON media USING gin (files)`,
  `CREATE INDEX media_by_retention ON media (kept_until) WHERE removed_at IS NULL`,
  `CREATE INDEX media_removed ON media (removed_at) WHERE removed_at IS NOT NULL`,

  // For locks and retention. Readers and the publisher use posts.media.
  `CREATE TABLE post_media (
    workspace_id uuid NOT NULL,
    post_id uuid NOT NULL,
    media_id uuid NOT NULL,
    position smallint NOT NULL,
    CONSTRAINT post_media_pk PRIMARY KEY (workspace_id, post_id, media_id),
    CONSTRAINT post_media_post_fk FOREIGN KEY (workspace_id, post_id)
      REFERENCES posts (workspace_id, id) ON DELETE CASCADE,
    CONSTRAINT post_media_media_fk FOREIGN KEY (workspace_id, media_id)
      REFERENCES media (workspace_id, id) ON DELETE RESTRICT
  )`,
  `CREATE INDEX post_media_of_media ON post_media (workspace_id, media_id)`,

  `ALTER TABLE posts ADD COLUMN media jsonb NOT NULL DEFAULT '[]', ADD COLUMN card jsonb`,

  // A BCP 47 tag.
  `ALTER TABLE workspaces ADD COLUMN language text`,

  // The upload of a target's files to its platform, ahead of the target's time. uploaded: the data for the platform's
  // adapter.
  `CREATE TABLE post_target_uploads (
    workspace_id uuid NOT NULL,
    target_id uuid NOT NULL CONSTRAINT post_target_uploads_pk PRIMARY KEY
      CONSTRAINT post_target_uploads_target_fk REFERENCES post_targets (id) ON DELETE CASCADE,
    status text NOT NULL
      CONSTRAINT post_target_uploads_status_known CHECK (status IN ('waiting', 'uploading', 'ready', 'failed')),
    start_at timestamptz NOT NULL,
    revision integer NOT NULL,
    attempts integer NOT NULL DEFAULT 0 CONSTRAINT post_target_uploads_attempts_counted CHECK (attempts >= 0),
    next_at timestamptz,
    claim_token uuid,
    owner_id uuid,
    lease_until timestamptz,
    uploaded jsonb,
    error_code text,
    error_message text,
    CONSTRAINT post_target_uploads_claimed_while_uploading
      CHECK ((status = 'uploading') = (claim_token IS NOT NULL) AND (claim_token IS NULL) = (lease_until IS NULL)),
    CONSTRAINT post_target_uploads_error_whole CHECK ((error_code IS NULL) = (error_message IS NULL))
  )`,
  `CREATE INDEX post_target_uploads_waiting ON post_target_uploads (next_at) WHERE status = 'waiting'`,
  `CREATE INDEX post_target_uploads_leased ON post_target_uploads (lease_until) WHERE status = 'uploading'`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
