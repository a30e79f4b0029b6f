import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { MediaClaimLost, MediaQuotaExceeded } from "../../domain/errors.ts"
import { ClaimToken, MediaId, nextClaimToken, WorkspaceId } from "../../domain/ids.ts"
import { MediaFacts, Renditions } from "../../domain/media/media.ts"
import { abilities } from "../postgres/abilities.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { makeLockWorkspace } from "../postgres/lockWorkspace.ts"
import { Timestamp } from "../postgres/rows.ts"
import type { ClaimedFile, Media } from "./Media.ts"
import { Bytes, usedBytes } from "./rows.ts"

const ClaimRow = Schema.Struct({
  id: MediaId,
  workspaceId: WorkspaceId,
  token: ClaimToken,
  attempts: Schema.Int,
  sourceUrl: Schema.NullOr(Schema.String),
  hash: Schema.NullOr(Schema.String),
  contentType: Schema.NullOr(Schema.String),
  size: Bytes
})

const ClaimQuery = Schema.Struct({
  token: ClaimToken,
  fetches: Schema.Boolean,
  now: Timestamp,
  leaseUntil: Timestamp,
  served: Schema.Array(WorkspaceId),
  isSmall: Schema.NullOr(Schema.Boolean),
  maxSmallBytes: Schema.Int,
  large: Schema.Array(MediaId)
})

const toClaimed = ({ contentType, hash, size, sourceUrl, ...file }: typeof ClaimRow.Type): ClaimedFile => ({
  ...file,
  step:
    hash === null
      ? { _tag: "Fetch", url: sourceUrl ?? "" }
      : { _tag: "Process", hash, contentType: contentType ?? "", size }
})

const Claim = Schema.Struct({ id: MediaId, workspaceId: WorkspaceId, token: ClaimToken })
const Written = Schema.Struct({ id: MediaId })

export const makeSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lockWorkspace = yield* makeLockWorkspace

  /** Null for both lanes. */
  const inLane = ({ isSmall, large, maxSmallBytes }: typeof ClaimQuery.Encoded) =>
    isSmall === null
      ? sql.literal("true")
      : sql`(m.size <= ${maxSmallBytes}::bigint AND m.id <> ALL (${large}::uuid[])) = ${isSmall}::boolean`

  const claimRow = SqlSchema.findOneOption({
    Request: ClaimQuery,
    Result: ClaimRow,
    // Chooses among each workspace's first file, so that many files of one workspace do not hold up the others. A
    // number out of range would fail the claim.
    execute: ({ fetches, leaseUntil, now, token, ...query }) => sql`
      WITH first AS MATERIALIZED (
        SELECT DISTINCT ON (m.workspace_id) m.id FROM media m
        WHERE m.next_at <= ${now}::timestamptz AND m.status = 'processing' AND m.removed_at IS NULL
          AND (m.hash IS NULL) = ${fetches}::boolean AND ${inLane({ fetches, leaseUntil, now, token, ...query })}
          AND NOT (${fetches}::boolean AND EXISTS (SELECT FROM media o WHERE o.workspace_id = m.workspace_id
            AND o.next_at > ${now}::timestamptz AND o.claim_token IS NOT NULL AND o.hash IS NULL))
        ORDER BY m.workspace_id, m.next_at, m.id
      ), chosen AS (
        SELECT m.id FROM media m JOIN first USING (id) WHERE m.next_at <= ${now}::timestamptz AND m.status = 'processing'
        ORDER BY array_position(${query.served}::uuid[], m.workspace_id) NULLS FIRST, random() LIMIT 1 FOR UPDATE OF m SKIP LOCKED
      )
      UPDATE media m SET claim_token = ${token}::uuid, next_at = ${leaseUntil}::timestamptz,
        attempts = least(m.attempts, 1000000) + 1, able_token = ${token}::uuid, abilities = ${sql.literal(String(abilities))}
      FROM chosen WHERE m.id = chosen.id
      RETURNING m.id, m.workspace_id AS "workspaceId", m.claim_token AS token, m.attempts, m.source_url AS "sourceUrl",
        encode(m.hash, 'hex') AS hash, m.content_type AS "contentType", m.size::text AS size`
  })

  const claim: Media["claim"] = Effect.fn("Repo.media.claim")(function* (step, lease, { lane, served = [] } = {}) {
    const now = yield* DateTime.now
    const token = yield* nextClaimToken
    const leaseUntil = DateTime.addDuration(now, lease)
    const row = yield* withDatabaseTimeout("claiming a file")(
      claimRow({
        token,
        fetches: step === "Fetch",
        now,
        leaseUntil,
        served,
        isSmall: lane?.isSmall ?? null,
        maxSmallBytes: lane?.maxSmallBytes ?? 0,
        large: lane?.large ?? []
      })
    )
    return Option.map(row, toClaimed)
  })

  const isClaimed = ({ id, token, workspaceId }: typeof Claim.Encoded) =>
    sql`workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND claim_token = ${token}::uuid AND removed_at IS NULL`

  const requireRow = <E, R>(operation: string, effect: Effect.Effect<Option.Option<typeof Written.Type>, E, R>) =>
    Effect.flatMap(withDatabaseTimeout(operation)(effect), (row) =>
      Option.isNone(row) ? Effect.fail(new MediaClaimLost()) : Effect.void
    )

  const extend = SqlSchema.findOneOption({
    Request: Schema.Struct({ ...Claim.fields, leaseUntil: Timestamp }),
    Result: Written,
    execute: ({ leaseUntil, ...own }) =>
      sql`UPDATE media SET next_at = ${leaseUntil}::timestamptz WHERE ${isClaimed(own)} RETURNING id`
  })

  const renewLease: Media["renewLease"] = Effect.fn("Repo.media.renewLease")(function* (file, lease) {
    const leaseUntil = DateTime.addDuration(yield* DateTime.now, lease)
    yield* requireRow("extending a claim", extend({ ...file, leaseUntil }))
  })

  const reserveRoom = SqlSchema.findOneOption({
    Request: Schema.Struct({
      ...Claim.fields,
      token: Schema.NullOr(ClaimToken),
      least: Schema.Int,
      most: Schema.Int,
      quota: Schema.Int
    }),
    Result: Schema.Struct({ size: Bytes, used: Bytes }),
    execute: ({ id, least, most, quota, token, workspaceId }) => sql`
      WITH others AS (SELECT ${usedBytes(sql, workspaceId, id)} AS used)
      UPDATE media SET size = greatest(${least}::bigint, least(${most}::bigint, ${quota}::bigint - others.used)) FROM others
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND removed_at IS NULL
        AND CASE WHEN ${token}::uuid IS NULL THEN status = 'uploading' ELSE claim_token = ${token}::uuid END
      RETURNING media.size::text AS size, others.used::text AS used`
  })

  const reserve: Media["reserve"] = Effect.fn("Repo.media.reserve")(
    function* (file, { least, most }, quota) {
      yield* lockWorkspace(file.workspaceId)
      const row = yield* reserveRoom({ ...file, least, most, quota })
      if (Option.isNone(row)) return yield* new MediaClaimLost()
      const { size, used } = row.value
      if (used + size <= quota) return size
      return yield* new MediaQuotaExceeded({ message: "The workspace's quota of media has no room for this file" })
    },
    (effect) => withDatabaseTimeout("reserving room for a file")(sql.withTransaction(effect))
  )

  const fetched = SqlSchema.findOneOption({
    Request: Schema.Struct({
      ...Claim.fields,
      hash: Schema.String,
      size: Schema.Int,
      contentType: Schema.String,
      now: Timestamp
    }),
    Result: Written,
    execute: ({ contentType, hash, now, size, ...own }) => sql`
      UPDATE media SET hash = decode(${hash}, 'hex'), size = ${size}::bigint, content_type = ${contentType},
        claim_token = NULL, next_at = ${now}::timestamptz, attempts = 0 WHERE ${isClaimed(own)} RETURNING id`
  })

  const settleFetched: Media["settleFetched"] = Effect.fn("Repo.media.settleFetched")(function* (file, received) {
    yield* requireRow("settling a fetch", fetched({ ...file, ...received, now: yield* DateTime.now }))
  })

  const ready = SqlSchema.findOneOption({
    Request: Schema.Struct({
      ...Claim.fields,
      facts: Schema.fromJsonString(MediaFacts),
      renditions: Schema.fromJsonString(Renditions),
      type: Schema.String,
      width: Schema.Int,
      height: Schema.Int,
      durationMs: Schema.NullOr(Schema.Int)
    }),
    Result: Written,
    execute: ({ durationMs, facts, height, renditions, type, width, ...own }) => sql`
      UPDATE media SET status = 'ready', facts = ${facts}::jsonb, renditions = ${renditions}::jsonb, type = ${type},
        width = ${width}::int, height = ${height}::int, duration_ms = ${durationMs}::int,
        claim_token = NULL, next_at = NULL WHERE ${isClaimed(own)} RETURNING id`
  })

  const settleReady: Media["settleReady"] = Effect.fn("Repo.media.settleReady")((file, facts, renditions) =>
    requireRow("settling a file", ready({ ...file, ...facts, facts, renditions }))
  )

  const failed = SqlSchema.findOneOption({
    Request: Schema.Struct({ ...Claim.fields, code: Schema.String, message: Schema.String }),
    Result: Written,
    execute: ({ code, message, ...own }) => sql`
      UPDATE media SET status = 'failed', error_code = ${code}, error_message = ${message},
        size = CASE WHEN hash IS NULL THEN 0 ELSE size END, claim_token = NULL, next_at = NULL
      WHERE ${isClaimed(own)} RETURNING id`
  })

  const settleFailed: Media["settleFailed"] = Effect.fn("Repo.media.settleFailed")((file, error) =>
    requireRow("settling a failed file", failed({ ...file, ...error }))
  )

  const unclaim = SqlSchema.void({
    Request: Schema.Struct({ ...Claim.fields, nextAt: Timestamp, uncounted: Schema.Int }),
    execute: ({ nextAt, uncounted, ...own }) => sql`
      UPDATE media SET claim_token = NULL, next_at = ${nextAt}::timestamptz, attempts = attempts - ${uncounted}::int
      WHERE ${isClaimed(own)}`
  })

  const release: Media["release"] = Effect.fn("Repo.media.release")(function* (file, { counts, wait }) {
    const nextAt = DateTime.addDuration(yield* DateTime.now, wait)
    yield* withDatabaseTimeout("releasing a claim")(unclaim({ ...file, nextAt, uncounted: counts ? 0 : 1 }))
  })

  return { claim, renewLease, reserve, settleFetched, settleReady, settleFailed, release }
})
