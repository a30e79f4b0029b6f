import { Array as Arr, DateTime, Duration, Effect, Result, Schema, Struct } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { ClaimToken, MediaId, nextClaimToken, ProcessId, TargetId } from "../../domain/ids.ts"
import { MediaFile } from "../../domain/media/media.ts"
import { Platform } from "../../domain/platform.ts"
import { isPartFor } from "../../domain/posts/thread.ts"
import { abilities } from "../postgres/abilities.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { claimedIntegration } from "../targets/claimChosen.ts"
import { makeLostClaims } from "../targets/lostClaims.ts"
import { makeSetUploadsAside } from "./setUploadsAside.ts"
import { UploadClaim, type PlatformUploads } from "./PlatformUploads.ts"

const Slots = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Int))

const ClaimRequest = Schema.Struct({
  limit: Schema.Int,
  token: ClaimToken,
  now: Timestamp,
  leaseUntil: Timestamp,
  ownerId: ProcessId,
  takesOver: Schema.Boolean,
  lost: Schema.Array(ClaimToken),
  abandoned: Schema.fromJsonString(Schema.Record(TargetId, ClaimToken)),
  perAccount: Schema.Int,
  perHost: Schema.Int,
  platforms: Slots,
  hosts: Slots
})

const windowSize = 500

/** The post's alternative texts are in `media`. */
const UploadRow = Schema.Struct({
  ...Struct.omit(UploadClaim.fields, ["isThread", "parts"]),
  media: Schema.Array(Schema.Struct({ id: MediaId, alt: Schema.String })),
  thread: Schema.Array(
    Schema.Struct({
      platforms: Schema.NullOr(Schema.Array(Platform)),
      media: Schema.Array(Schema.Struct({ id: MediaId, alt: Schema.String }))
    })
  ),
  library: Schema.Array(MediaFile)
})
const decodeRow = Schema.decodeUnknownResult(UploadRow)

const UndecodedRow = Schema.StructWithRest(
  Schema.Struct({ targetId: UploadRow.fields.targetId, token: UploadRow.fields.token }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

const toClaim = ({ library, media, thread, ...row }: typeof UploadRow.Type): UploadClaim => {
  const byId = new Map(library.map((file) => [file.id, file]))
  const chain = [media, ...thread.flatMap((part) => (isPartFor(row.platform, part) ? [part.media] : []))]
  const parts = chain.map((references, index) => ({
    part: index + 1,
    count: references.length,
    files: references.flatMap(({ alt, id }) => {
      const file = byId.get(id)
      return file === undefined ? [] : [{ ...file, alt }]
    })
  }))
  return {
    ...row,
    isThread: chain.length > 1,
    parts: parts.filter(({ count, part }) => part >= row.part && count > 0)
  }
}

/**
 * Claims uploads by the rules of targets, with process leases and slots. A claim is committed before anything is sent.
 */
export const makeClaimUploads = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lostClaims = yield* makeLostClaims(Duration.minutes(30))
  const setAside = yield* makeSetUploadsAside(lostClaims.abandon)
  const host = sql.literal("coalesce(i.host, i.service_url, i.platform)")

  const claimDue = SqlSchema.findAll({
    Request: ClaimRequest,
    Result: UndecodedRow,
    execute: (request) => {
      const { hosts, leaseUntil, limit, now, ownerId, perAccount, perHost, platforms, takesOver, token } = request
      const hostSlots = sql`coalesce((${hosts}::jsonb ->> ${host})::int, ${perHost}::int)`
      const platformSlots = sql`coalesce((${platforms}::jsonb ->> i.platform)::int, 0)`
      const found = (which: Statement.Fragment, order: "next_at" | "lease_until") => sql`(
        SELECT u.target_id, u.next_at, u.${sql(order)} AS since, i.platform, ${host} AS host,
          t.integration_id, coalesce(busy.uploads, 0) AS busy, ${hostSlots} AS host_slots, ${platformSlots} AS platform_slots,
          t.status = 'pending' AND t.due_since IS NOT NULL AND p.status IN ('scheduled', 'publishing') AS is_open
        FROM post_target_uploads u
        JOIN post_targets t ON t.id = u.target_id
        JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
        JOIN integrations i ON i.id = t.integration_id
        LEFT JOIN busy ON busy.integration_id = t.integration_id
        WHERE ${which} AND coalesce(busy.uploads, 0) < ${perAccount}::int AND ${hostSlots} > 0 AND ${platformSlots} > 0
        ORDER BY u.${sql(order)} LIMIT ${windowSize}::int)`
      /** A lost claim has counted as an attempt already. */
      const isLost = sql`coalesce(u.claim_token = ANY(${request.lost}::uuid[]), false)`
      /** True if the lease or owner is gone, or this process lost the claim's response or gave it up. */
      const isAbandoned = sql`(u.lease_until <= (SELECT now FROM moment) OR (u.owner_id IN (
        SELECT id FROM processes WHERE NOT ${takesOver}::boolean OR lease_until > (SELECT database_now FROM moment)
      )) IS NOT TRUE OR ${isLost} OR coalesce(${request.abandoned}::jsonb ->> u.target_id::text = u.claim_token::text, false))`
      return sql`
      WITH moment AS MATERIALIZED (
        SELECT least(${now}::timestamptz, clock_timestamp()) AS now, clock_timestamp() AS database_now
      ),
      busy AS MATERIALIZED (
        SELECT t.integration_id, count(*)::int AS uploads FROM post_target_uploads u JOIN post_targets t ON t.id = u.target_id
        WHERE u.status = 'uploading' AND NOT ${isAbandoned} GROUP BY t.integration_id
      ),
      found AS MATERIALIZED (
        ${found(sql`u.status = 'waiting' AND u.next_at <= (SELECT now FROM moment)`, "next_at")}
        UNION ALL
        ${found(sql`u.status = 'uploading' AND ${isAbandoned}`, "lease_until")}
      ),
      -- Nothing waits for these: their post became a draft, or their target has ended. An upload ordered again has
      -- another time.
      stale AS (
        DELETE FROM post_target_uploads u USING found
        WHERE u.target_id = found.target_id AND u.next_at IS NOT DISTINCT FROM found.next_at AND NOT found.is_open
      ),
      -- In turn: an account's second upload comes after the first uploads of the others.
      within_account AS (
        SELECT target_id, since, platform, host, host_slots, platform_slots,
          busy + row_number() OVER (PARTITION BY integration_id ORDER BY since, target_id) AS turn
        FROM found WHERE is_open
      ),
      within_host AS (
        SELECT target_id, since, turn, platform, host_slots, platform_slots,
          row_number() OVER (PARTITION BY host ORDER BY turn, since, target_id) AS place
        FROM within_account WHERE turn <= ${perAccount}::int
      ),
      within_platform AS (
        SELECT target_id, since, turn, platform_slots,
          row_number() OVER (PARTITION BY platform ORDER BY turn, since, target_id) AS place
        FROM within_host WHERE place <= host_slots
      ),
      chosen AS MATERIALIZED (
        SELECT target_id FROM within_platform WHERE place <= platform_slots ORDER BY turn, since, target_id LIMIT ${limit}::int
      ),
      locked AS MATERIALIZED (
        SELECT u.target_id FROM post_target_uploads u WHERE u.target_id = ANY(ARRAY(SELECT target_id FROM chosen))
          AND (u.status = 'waiting' AND u.next_at <= (SELECT now FROM moment) OR u.status = 'uploading' AND ${isAbandoned})
        FOR UPDATE SKIP LOCKED
      ),
      claimed AS (
        UPDATE post_target_uploads u SET status = 'uploading', attempts = least(u.attempts, 1000000) + (NOT ${isLost})::int, claim_token = ${token}::uuid,
          owner_id = ${ownerId}::uuid, lease_until = ${leaseUntil}::timestamptz, next_at = NULL,
          able_token = ${token}::uuid, abilities = ${sql.literal(String(abilities))}
        FROM locked WHERE u.target_id = locked.target_id
          AND NOT EXISTS (SELECT FROM publishing_state WHERE held_since IS NOT NULL)
          AND EXISTS (SELECT FROM processes WHERE id = ${ownerId}::uuid AND lease_until > (SELECT database_now FROM moment))
        RETURNING u.*
      )
      SELECT c.target_id AS "targetId", c.claim_token AS token, c.lease_until AS "leaseUntil", c.owner_id AS "ownerId",
        c.workspace_id AS "workspaceId", t.post_id AS "postId", t.platform, ${host} AS host, c.attempts,
        coalesce(t.account_id, i.account_id) AS "accountId",
        t.due_since + (${now}::timestamptz - (SELECT now FROM moment)) AS "dueSince",
        ${sql.literal(claimedIntegration)},
        c.uploaded AS begun, p.media, p.thread, t.part,
        -- Reads nothing inside a JSON: unexpected JSON would fail the statement for all.
        coalesce((SELECT jsonb_agg(jsonb_build_object('id', m.id, 'status',
            CASE m.status WHEN 'uploading' THEN 'processing' ELSE m.status END, 'size', m.size, 'facts', m.facts,
            'renditions', m.renditions, 'alt', m.alt))
          FROM post_media file
          JOIN media m ON m.workspace_id = file.workspace_id AND m.id = file.media_id AND m.removed_at IS NULL
          WHERE file.workspace_id = p.workspace_id AND file.post_id = p.id), '[]') AS library
      FROM claimed c
      JOIN post_targets t ON t.id = c.target_id
      JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
      JOIN integrations i ON i.id = t.integration_id
      ORDER BY t.due_since`.unprepared
    }
  })

  // Checked first, because planning the claim takes milliseconds, and most wake-ups of the publisher find no upload.
  const findAny = SqlSchema.findOne({
    Request: Schema.Struct({ now: Timestamp }),
    Result: Schema.Struct({ found: Schema.Boolean }),
    execute: ({ now }) => sql`
      SELECT EXISTS (SELECT FROM post_target_uploads WHERE status = 'waiting' AND next_at <= ${now}::timestamptz)
        OR EXISTS (SELECT FROM post_target_uploads WHERE status = 'uploading') AS found`
  })

  const claim: PlatformUploads["claim"] = Effect.fn("Repo.platformUploads.claim")(function* (
    limit,
    lease,
    { owner, slots }
  ) {
    const now = yield* DateTime.now
    const { found } = yield* findAny({ now }).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("looking for uploads")
    )
    if (!found) return []
    const token = yield* nextClaimToken
    const leaseUntil = DateTime.addDuration(now, lease)
    const rows = yield* claimDue({
      limit,
      token,
      now,
      leaseUntil,
      ownerId: owner.id,
      takesOver: owner.takesOver,
      lost: yield* lostClaims.lostTokens(now),
      abandoned: yield* lostClaims.abandonedTokens(now),
      ...slots
    }).pipe(lostClaims.rememberIfLost({ token, leaseUntil }), withDatabaseTimeout("claiming uploads"))
    const [claims, unreadable] = Arr.partition(rows, (row) =>
      Result.mapBoth(decodeRow(row), { onFailure: (error) => ({ ...row, error }), onSuccess: toClaim })
    )
    yield* setAside(unreadable)
    return claims
  })
  return { claim, abandon: lostClaims.abandon }
})
