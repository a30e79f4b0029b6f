import { Array as Arr, Cause, DateTime, Effect, Option, Ref, Result, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimToken, nextClaimToken, ProcessId } from "../../domain/ids.ts"
import { textFor } from "../../domain/postPlan.ts"
import { isUniqueViolation, withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeSetAside } from "./setAside.ts"
import { Claim, type Targets } from "./Targets.ts"

const ClaimRow = Schema.Struct({
  ...Struct.omit(Claim.fields, ["text"]),
  content: Schema.String,
  // Not checked again here: a text that a later rule refuses must not fail the whole claim.
  overrides: Schema.Record(Schema.String, Schema.String)
})

const decodeRow = Schema.decodeUnknownResult(ClaimRow)

/** A row of which only the keys are decoded. */
const UndecodedRow = Schema.StructWithRest(
  Schema.Struct({ targetId: ClaimRow.fields.targetId, token: ClaimRow.fields.token }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

/** Free slots by name. */
const Slots = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Int))

const toClaim = ({ content, overrides, ...row }: typeof ClaimRow.Type): Claim => ({
  ...row,
  text: textFor(row.platform, { content, overrides })
})

const ClaimRequest = Schema.Struct({
  limit: Schema.Int,
  token: ClaimToken,
  now: Timestamp,
  leaseUntil: Timestamp,
  ownerId: Schema.NullOr(ProcessId),
  takesOver: Schema.Boolean,
  lost: Schema.Array(ClaimToken),
  perHost: Schema.Int,
  platforms: Slots,
  hosts: Slots
})

/** The token of a claim that failed: it may have been committed, and its response lost. */
interface LostClaim {
  readonly token: ClaimToken
  readonly leaseUntil: DateTime.Utc
}

/** Whether a claim may take effect that failed with `cause`. */
const mayBeCommitted = <E>(cause: Cause.Cause<E>): boolean =>
  !Option.exists(Cause.findErrorOption(cause), isUniqueViolation)

/** How many of the latest lost claims are remembered. The targets of others wait for the end of their leases. */
const maxLostClaims = 256

/** How many of the oldest due targets are searched before the claim walks the accounts. */
const windowSize = 500

/**
 * The claim is fair between accounts and keeps at most one target of each in flight. Two simpler plans were rejected:
 *
 * - `ORDER BY due_at LIMIT n FOR UPDATE SKIP LOCKED`, the usual queue: one account's backlog fills the limit and starves
 *   every other account, and several targets of one account are taken, of which only one may be in flight.
 * - Walking every account for its earliest target in every claim: the cost grows with each account that has an open target,
 *   future ones included. A claim of 32 targets that walks takes 10 ms with 400 accounts, 48 ms with 4,000, and 85
 *   to 223 ms with 20,000 (2 cores, PostgreSQL 18).
 *
 * So a window of the oldest due targets is searched first. While fewer than `windowSize` are due it holds them all. Only
 * when it is full can it miss an account, behind the backlogs of others, and only then does the claim walk: over the
 * accounts whose platform and host have a free slot, by one lookup in the index post_targets_next_of_integration for each.
 * test/bench/claim.ts measures both cases.
 *
 * The statement is not prepared, which costs some milliseconds of planning in each claim. The plan that PostgreSQL keeps for a
 * prepared one may come from when few posts were due: after 10,000 fell due at once it took 3.3 s instead of 20 ms.
 */
export const makeClaim = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const setAside = yield* makeSetAside
  /** The bulkhead's key of an integration `i`. */
  const host = sql.literal("coalesce(i.host, i.service_url, i.platform)")
  /** Since when a target counts as waiting: where slots are scarce, a repeated attempt waits a minute longer than a first one. */
  const since = (attempts: string) =>
    sql.literal(`due_at + CASE WHEN ${attempts} > 0 THEN interval '1 minute' ELSE interval '0' END`)

  const claimDue = SqlSchema.findAll({
    Request: ClaimRequest,
    Result: UndecodedRow,
    execute: ({ hosts, leaseUntil, limit, lost, now, ownerId, perHost, platforms, takesOver, token }) => {
      const hostSlots = sql`coalesce((${hosts}::jsonb ->> ${host})::int, ${perHost}::int)`
      const platformSlots = sql`coalesce((${platforms}::jsonb ->> i.platform)::int, ${limit}::int)`
      /** Whether a target's claim is one of this process that it was not told of. */
      const isLost = sql`coalesce(t.claim_token = ANY(${lost}::uuid[]), false)`
      return sql`
      WITH
      -- The caller's clock, but never ahead of the database's: a process whose clock is fast neither publishes early nor
      -- takes over a lease that has not expired. One whose clock is slow sets leases that end early, which the length of
      -- the lease allows for. Leases of processes go by the database's clock alone.
      moment AS MATERIALIZED (
        SELECT least(${now}::timestamptz, clock_timestamp()) AS now, clock_timestamp() AS database_now
      ),
      -- Targets whose process stopped or lost the database before it settled them: the lease of the claim has expired, or
      -- that of its owner. An owner counts only where it wrote this claim: the version before changes the token alone.
      -- And targets of this process's own lost claims, on which it has not begun to work.
      in_flight AS (
        SELECT t.id, t.integration_id, t.due_at, t.attempts - ${isLost}::int AS earlier_attempts, t.lease_until,
          CASE WHEN ${isLost} OR t.owner_token = t.claim_token AND (owner.id IS NULL OR
            ${takesOver}::boolean AND owner.lease_until <= (SELECT database_now FROM moment)) THEN t.claim_token
          END AS abandoned_token
        FROM post_targets t LEFT JOIN processes owner ON owner.id = t.owner_id
        WHERE t.status = 'publishing'
      ),
      expired AS (
        SELECT id, integration_id, abandoned_token, ${since("earlier_attempts")} AS since FROM in_flight
        WHERE lease_until <= (SELECT now FROM moment) OR abandoned_token IS NOT NULL
        ORDER BY due_at LIMIT ${windowSize}::int
      ),
      -- The window: the oldest due targets, of whatever account.
      oldest AS MATERIALIZED (
        SELECT id, integration_id, due_at, attempts FROM post_targets
        WHERE status = 'pending' AND due_at <= (SELECT now FROM moment)
        ORDER BY due_at LIMIT ${windowSize}::int
      ),
      -- Only where the window is full: the earliest due target of every account that may get a slot.
      due AS (
        SELECT id, integration_id, due_at, attempts FROM oldest
        UNION ALL
        SELECT next.* FROM integrations i CROSS JOIN LATERAL (
          SELECT t.id, t.integration_id, t.due_at, t.attempts FROM post_targets t
          -- Not =, with which the planner may search all due targets for those of the account.
          WHERE t.integration_id >= i.id AND t.status = 'pending' AND t.due_at IS NOT NULL
          ORDER BY t.integration_id, t.due_at LIMIT 1) next
        WHERE next.integration_id = i.id AND next.due_at <= (SELECT now FROM moment)
          AND (SELECT count(*) FROM oldest) = ${windowSize}::int
          AND ${platformSlots} > 0 AND ${hostSlots} > 0
      ),
      -- The earliest one of each account. First attempts come before repeated ones, so that a platform that does not
      -- respond holds up only what has been tried.
      next AS (
        SELECT DISTINCT ON (integration_id) id, integration_id,
          ${since("attempts")} AS since FROM due
        ORDER BY integration_id, due_at, id
      ),
      -- An account that has a target in flight is skipped; an expired target is itself the one in flight.
      candidates AS (
        SELECT id, integration_id, abandoned_token, since FROM expired
        UNION ALL
        SELECT id, integration_id, NULL, since FROM next WHERE NOT EXISTS (
          SELECT FROM post_targets busy WHERE busy.integration_id = next.integration_id AND busy.status = 'publishing')
      ),
      -- Of each host and then of each platform, as many as have a free slot: the ones that have waited longest.
      within_host AS (
        SELECT c.id, c.abandoned_token, c.since, i.platform, ${hostSlots} AS host_slots, ${platformSlots} AS platform_slots,
          row_number() OVER (PARTITION BY ${host} ORDER BY c.since, c.id) AS place
        FROM candidates c JOIN integrations i ON i.id = c.integration_id
      ),
      within_platform AS (
        SELECT id, abandoned_token, since, platform_slots,
          row_number() OVER (PARTITION BY platform ORDER BY since, id) AS place
        FROM within_host WHERE place <= host_slots
      ),
      chosen AS (
        SELECT id, abandoned_token FROM within_platform WHERE place <= platform_slots
        ORDER BY since, id LIMIT ${limit}::int
      ),
      -- Locks each target with its post and checks it again, since another process may have claimed or changed it. What
      -- others have locked is left to the next claim. The content is read here, with the lock: the rest of the statement
      -- sees posts as they were when it began, which may be before a change that was committed meanwhile. An abandoned
      -- claim is checked by its token: who else took it over set another.
      locked AS MATERIALIZED (
        SELECT t.id, p.content, p.platform_overrides, p.platform_settings FROM chosen
        JOIN post_targets t ON t.id = chosen.id
        JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
        WHERE t.status = 'pending' AND t.due_at <= (SELECT now FROM moment) OR
          t.status = 'publishing' AND (t.lease_until <= (SELECT now FROM moment) OR t.claim_token = chosen.abandoned_token)
        FOR UPDATE OF p, t SKIP LOCKED
      ),
      -- A target that was sent before is reconciled by this attempt. A lost claim has counted it already.
      claimed AS (
        UPDATE post_targets t SET status = 'publishing', attempts = t.attempts + (NOT ${isLost})::int,
          looks = CASE WHEN t.sent_at IS NULL THEN 0 ELSE t.looks + (NOT ${isLost})::int END,
          claim_token = ${token}::uuid, lease_until = ${leaseUntil}::timestamptz,
          owner_id = ${ownerId}::uuid, owner_token = CASE WHEN ${ownerId}::uuid IS NOT NULL THEN ${token}::uuid END
        FROM locked WHERE t.id = locked.id
          AND NOT EXISTS (SELECT FROM publishing_state WHERE held_since IS NOT NULL)
          -- An owner without its lease runs on a database that was restored beneath it, or comes too late.
          AND (${ownerId}::uuid IS NULL OR EXISTS (SELECT FROM processes
            WHERE id = ${ownerId}::uuid AND lease_until > (SELECT database_now FROM moment)))
        RETURNING t.*
      ),
      -- The post starts with its first target.
      started AS (
        UPDATE posts p SET status = 'publishing' FROM claimed
        WHERE p.workspace_id = claimed.workspace_id AND p.id = claimed.post_id AND p.status = 'scheduled'
      )
      SELECT c.id AS "targetId", c.claim_token AS token, c.lease_until AS "leaseUntil",
        c.owner_id AS "ownerId", ${host} AS host,
        c.workspace_id AS "workspaceId", c.post_id AS "postId", c.platform,
        locked.content, locked.platform_overrides AS overrides, locked.platform_settings AS settings,
        c.attempts, c.looks AS "reconcileAttempts", c.prepared, c.sent_at AS "sentAt",
        c.resend_ordered AS "resendOrdered",
        c.reconcile_from AS "reconcileFrom", c.reconcile_until AS "reconcileUntil",
        c.reconcile_text AS "reconcileText",
        -- The version before stores no account; its targets belong to the connected one.
        coalesce(c.account_id, i.account_id) AS "accountId",
        c.due_since + (${now}::timestamptz - (SELECT now FROM moment)) AS "dueSince",
        jsonb_build_object('id', i.id, 'accountId', i.account_id, 'username', i.username, 'serviceUrl', i.service_url,
          'connected', i.status = 'connected', 'version', i.updated_at::text) AS integration
      FROM claimed c
      JOIN locked ON locked.id = c.id
      JOIN integrations i ON i.workspace_id = c.workspace_id AND i.id = c.integration_id
      ORDER BY c.due_at`.unprepared
    }
  })

  /** Row by row, so that one that this version can't read does not hold up the others. */
  const decodeRows = Effect.fnUntraced(function* (rows: ReadonlyArray<typeof UndecodedRow.Type>) {
    const [claims, unreadable] = Arr.partition(rows, (row) =>
      Result.mapBoth(decodeRow(row), { onSuccess: toClaim, onFailure: (error) => ({ ...row, error }) })
    )
    yield* setAside(unreadable)
    return claims
  })

  const lostClaims = yield* Ref.make<ReadonlyArray<LostClaim>>([])

  const remember = (claim: LostClaim) =>
    Ref.update(lostClaims, (claims) => Arr.takeRight([...claims, claim], maxLostClaims))

  /** The lost claims whose leases still run. Each is kept that long: its statement may be about to commit. */
  const lostAt = (now: DateTime.Utc) =>
    Ref.updateAndGet(
      lostClaims,
      Arr.filter(({ leaseUntil }) => DateTime.isGreaterThan(leaseUntil, now))
    )

  const claim: Targets["claim"] = Effect.fn("Repo.targets.claim")((limit, lease, { owner, slots } = {}) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const token = yield* nextClaimToken
      const leaseUntil = DateTime.addDuration(now, lease)
      const lost = yield* lostAt(now)
      return yield* claimDue({
        limit,
        token,
        now,
        leaseUntil,
        ownerId: owner?.id ?? null,
        takesOver: owner?.takesOver ?? false,
        lost: lost.map((each) => each.token),
        perHost: slots?.perHost ?? limit,
        platforms: slots?.platforms ?? {},
        hosts: slots?.hosts ?? {}
      }).pipe(Effect.onErrorIf(mayBeCommitted, () => remember({ token, leaseUntil })))
    }).pipe(
      // Two processes that choose different targets of one account at once: the unique index
      // post_targets_one_in_flight lets only one of them through, and the other chooses again.
      Effect.retry({ times: 3, while: isUniqueViolation }),
      withDatabaseTimeout("claiming due targets"),
      Effect.flatMap(decodeRows)
    )
  )
  return claim
})
