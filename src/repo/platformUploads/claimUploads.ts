import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { ClaimToken, nextClaimToken, ProcessId } from "../../domain/ids.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { UploadClaim, type PlatformUploads } from "./PlatformUploads.ts"

/** Free slots by name. */
const Slots = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Int))

const ClaimRequest = Schema.Struct({
  limit: Schema.Int,
  token: ClaimToken,
  now: Timestamp,
  leaseUntil: Timestamp,
  ownerId: ProcessId,
  takesOver: Schema.Boolean,
  perHost: Schema.Int,
  platforms: Slots,
  hosts: Slots
})

/** How many of the uploads that wait longest, on hosts with a free slot, are searched for the ones to begin. */
const windowSize = 500

/** Claims uploads by the same rules as targets: by leases of processes, committed before anything is sent, within slots. */
export const makeClaimUploads = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const host = sql.literal("coalesce(i.host, i.service_url, i.platform)")

  const claimDue = SqlSchema.findAll({
    Request: ClaimRequest,
    Result: UploadClaim,
    execute: ({ hosts, leaseUntil, limit, now, ownerId, perHost, platforms, takesOver, token }) => {
      const hostSlots = sql`coalesce((${hosts}::jsonb ->> ${host})::int, ${perHost}::int)`
      const platformSlots = sql`coalesce((${platforms}::jsonb ->> i.platform)::int, 0)`
      /** The uploads among `u`, in this order, whose host has a slot, with what is known of their posts. */
      const found = (which: Statement.Fragment, order: "next_at" | "lease_until") => sql`(
        SELECT u.target_id, u.next_at, u.${sql(order)} AS since, i.platform, ${host} AS host,
          ${hostSlots} AS host_slots, ${platformSlots} AS platform_slots,
          t.status = 'pending' AND t.due_since IS NOT NULL AND p.status IN ('scheduled', 'publishing') AS is_open
        FROM post_target_uploads u
        JOIN post_targets t ON t.id = u.target_id
        JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
        JOIN integrations i ON i.id = t.integration_id
        WHERE ${which} AND ${hostSlots} > 0 AND ${platformSlots} > 0
        ORDER BY u.${sql(order)} LIMIT ${windowSize}::int)`
      /** A claim whose lease or owner is gone. */
      const isAbandoned = sql`(u.lease_until <= (SELECT now FROM moment) OR (u.owner_id IN (
        SELECT id FROM processes WHERE NOT ${takesOver}::boolean OR lease_until > (SELECT database_now FROM moment)
      )) IS NOT TRUE)`
      return sql`
      WITH moment AS MATERIALIZED (
        SELECT least(${now}::timestamptz, clock_timestamp()) AS now, clock_timestamp() AS database_now
      ),
      found AS MATERIALIZED (
        ${found(sql`u.status = 'waiting' AND u.next_at <= (SELECT now FROM moment)`, "next_at")}
        UNION ALL
        ${found(sql`u.status = 'uploading' AND ${isAbandoned}`, "lease_until")}
      ),
      -- Nothing waits for these: their post was made a draft, or their target has ended. One that was ordered again meanwhile
      -- has another time.
      stale AS (
        DELETE FROM post_target_uploads u USING found
        WHERE u.target_id = found.target_id AND u.next_at IS NOT DISTINCT FROM found.next_at AND NOT found.is_open
      ),
      within_host AS (
        SELECT target_id, since, platform, host_slots, platform_slots,
          row_number() OVER (PARTITION BY host ORDER BY since, target_id) AS place
        FROM found WHERE is_open
      ),
      within_platform AS (
        SELECT target_id, since, platform_slots, row_number() OVER (PARTITION BY platform ORDER BY since, target_id) AS place
        FROM within_host WHERE place <= host_slots
      ),
      chosen AS MATERIALIZED (
        SELECT target_id FROM within_platform WHERE place <= platform_slots ORDER BY since, target_id LIMIT ${limit}::int
      ),
      locked AS MATERIALIZED (
        SELECT u.target_id FROM post_target_uploads u WHERE u.target_id = ANY(ARRAY(SELECT target_id FROM chosen))
          AND (u.status = 'waiting' AND u.next_at <= (SELECT now FROM moment) OR u.status = 'uploading' AND ${isAbandoned})
        FOR UPDATE SKIP LOCKED
      ),
      claimed AS (
        UPDATE post_target_uploads u SET status = 'uploading', attempts = u.attempts + 1, claim_token = ${token}::uuid,
          owner_id = ${ownerId}::uuid, lease_until = ${leaseUntil}::timestamptz, next_at = NULL
        FROM locked WHERE u.target_id = locked.target_id
          AND NOT EXISTS (SELECT FROM publishing_state WHERE held_since IS NOT NULL)
          AND EXISTS (SELECT FROM processes WHERE id = ${ownerId}::uuid AND lease_until > (SELECT database_now FROM moment))
        RETURNING u.*
      )
      SELECT c.target_id AS "targetId", c.claim_token AS token, c.lease_until AS "leaseUntil", c.owner_id AS "ownerId",
        c.workspace_id AS "workspaceId", t.post_id AS "postId", t.platform, ${host} AS host, c.attempts,
        coalesce(t.account_id, i.account_id) AS "accountId",
        t.due_since + (${now}::timestamptz - (SELECT now FROM moment)) AS "dueSince",
        jsonb_build_object('id', i.id, 'accountId', i.account_id, 'username', i.username, 'serviceUrl', i.service_url,
          'connected', i.status = 'connected', 'version', i.updated_at::text) AS integration,
        jsonb_array_length(p.media) AS count,
        coalesce((SELECT jsonb_agg(jsonb_build_object('id', m.id, 'status',
            CASE m.status WHEN 'uploading' THEN 'processing' ELSE m.status END, 'size', m.size, 'facts', m.facts,
            'renditions', m.renditions, 'alt', file.item ->> 'alt') ORDER BY file.position)
          FROM jsonb_array_elements(p.media) WITH ORDINALITY AS file(item, position)
          JOIN media m ON m.workspace_id = p.workspace_id AND m.id = (file.item ->> 'id')::uuid AND m.removed_at IS NULL),
          '[]') AS files
      FROM claimed c
      JOIN post_targets t ON t.id = c.target_id
      JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
      JOIN integrations i ON i.id = t.integration_id
      ORDER BY t.due_since`.unprepared
    }
  })

  // Planning the claim takes milliseconds, and whatever wakes the publisher asks for uploads as well, mostly in vain.
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
    return yield* claimDue({
      limit,
      token: yield* nextClaimToken,
      now,
      leaseUntil: DateTime.addDuration(now, lease),
      ownerId: owner.id,
      takesOver: owner.takesOver,
      perHost: slots.perHost,
      platforms: slots.platforms,
      hosts: slots.hosts
    }).pipe(withDatabaseTimeout("claiming uploads"))
  })
  return claim
})
