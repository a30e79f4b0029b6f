import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { MediaId, nextPostId, type WorkspaceId } from "../../../src/domain/ids.ts"
import { type MediaFacts, type Rendition, type Renditions, toPostMedia } from "../../../src/domain/media/media.ts"

export const imageFacts: MediaFacts = {
  type: "image",
  contentType: "image/png",
  size: 68,
  width: 40,
  height: 30,
  durationMs: null,
  frames: null,
  frameRate: null,
  videoCodec: null,
  audioCodec: null,
  animated: false
}

const encode = JSON.stringify

/** A rendition that is the upload itself. */
const unchanged = ({ contentType, height, size, width }: MediaFacts, hash: string): Rendition => ({
  hash,
  contentType,
  size,
  width,
  height
})

/** Stores a file that has renditions for both platforms, or is still being processed. */
export const storeFile = Effect.fn(function* (
  workspaceId: WorkspaceId,
  {
    alt = "",
    facts = imageFacts,
    hash = "0".repeat(64),
    id: given,
    renditions = {
      thumbnail: unchanged(facts, hash),
      twitter: unchanged(facts, hash),
      bluesky: unchanged(facts, hash)
    },
    status = "ready"
  }: {
    readonly alt?: string
    readonly facts?: MediaFacts
    /** Hexadecimal. */
    readonly hash?: string
    readonly id?: MediaId
    readonly renditions?: Renditions
    readonly status?: "ready" | "processing"
  } = {}
) {
  const sql = yield* SqlClient.SqlClient
  const id = given ?? MediaId.make(yield* nextPostId)
  const isReady = status === "ready"
  yield* sql`
    INSERT INTO media (id, workspace_id, status, type, content_type, size, width, height, facts, hash, alt, renditions,
      created_at, kept_until, next_at)
    VALUES (${id}::uuid, ${workspaceId}::uuid, ${status}, ${isReady ? facts.type : null}, ${isReady ? facts.contentType : null},
      ${facts.size}::bigint, ${facts.width}::int, ${facts.height}::int, ${isReady ? encode(facts) : null}::jsonb,
      ${isReady ? Buffer.from(hash, "hex") : null}::bytea, ${alt}, ${encode(isReady ? renditions : {})}::jsonb, now(), now(),
      ${isReady ? null : new Date(0)}::timestamptz)`
  return toPostMedia({ id, status, size: facts.size, facts: isReady ? facts : null, renditions, alt }, alt)
})
