import { Array as Arr, DateTime, Duration, Effect, Predicate, Result } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { nextClaimToken } from "../../domain/ids.ts"
import { monotonicMillis } from "../../domain/monotonic.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { boundedTime } from "../postgres/boundedTime.ts"
import { isUniqueViolation, withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { begunThreadsIndex, dueAccountsIndex, duePeriod, hasBegun, inIndexOrder } from "../postgres/indexes.ts"
import {
  claimChosen,
  ClaimRequest,
  givenTo,
  host as hostOf,
  integrationOf as rowOf,
  isLost,
  isOwnerGone,
  selectClaimed
} from "./claimChosen.ts"
import { makeClaimFew } from "./claimFew.ts"
import { readClaim, UndecodedRow } from "./claimRow.ts"
import { makeLostClaims } from "./lostClaims.ts"
import { makeSetAside } from "./setAside.ts"
import type { Targets } from "./Targets.ts"

/** How many of the oldest due targets are searched before the claim walks the accounts, and how many more where it can't walk. */
const windowSize = 500
const largeWindowSize = 20_000

/** How many accounts, each once in every period in which it has a due target, a walk visits at most. */
const maxVisited = 1000

/**
 * The claim is fair between accounts and keeps at most one target of each in flight. Two simpler plans were rejected:
 *
 * - `ORDER BY due_at LIMIT n FOR UPDATE SKIP LOCKED`, the usual queue: one account's backlog fills the limit and starves
 *   every other account, and several targets of one account are taken, of which only one may be in flight.
 * - Walking every account for its earliest target in every claim: the cost grows with each account that has an open target,
 *   future ones included.
 *
 * So a window of the oldest due targets is searched first. While fewer than `windowSize` are due it holds them all. Only
 * when it is full can it miss an account, behind the backlogs of others, and the claim walks only for platforms whose free
 * slots the window does not fill. The walk goes by the index post_targets_due_accounts, from the oldest period on: it visits each
 * account once for every period in which it has a due target, passes over the rest of a backlog and over what falls due later,
 * and ends once it has found enough. Where thousands of accounts wait for hosts without a slot, it ends after `maxVisited`;
 * a second walk begins at a random place, so that every account is reached in the end. test/bench/claim.ts measures it.
 *
 * A thread that has begun goes on before its account's other due targets. The window may miss it, because its next part
 * falls due after a pause, so it is found by an index of its own. It takes its account's turn and gets none of its own:
 * the account has waited since its earliest target was due. An account that is found by its thread alone counts neither
 * for the window nor for the walk.
 *
 * The plan must not depend on statistics, which may be from when nothing was due: a claim that went by them met its time-out with
 * 10,000 posts due. So what is searched is asked for in the order of an index, see `inIndexOrder`, what is found is read by its id,
 * and a condition that would tempt the planner to another index is hidden from it by `IS TRUE`.
 *
 * The statement is prepared: planning it takes as long as to run it. The plan that is kept may come from when the tables were
 * empty, which is why nothing may be read but by an index, see `indexesAlone` in database.ts. PostgreSQL keeps it while its estimated
 * cost is at most that of the plans that it made for the values. So the values are hidden from the planner, see `ClaimRequest`, and
 * the window is a literal. Where far more is stored than when a connection first claimed, it may plan some claims again.
 */
export const makeClaim = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lostClaims = yield* makeLostClaims(Duration.minutes(10))
  const setAside = yield* makeSetAside(lostClaims.abandon)
  const few = yield* makeClaimFew
  const host = hostOf(sql)
  /** The time since which a target counts as waiting: where slots are scarce, a repeated attempt waits a minute longer than a first one. */
  const since = (attempts: string) =>
    sql.literal(`${boundedTime("due_at")} + CASE WHEN ${attempts} > 0 THEN interval '1 minute' ELSE interval '0' END`)

  const integrationOf = (row: string) => rowOf(sql, row)
  const isBusy = (integration: string) => sql.literal(`${integration} IN (SELECT integration_id FROM in_flight)`)
  const inOrder = sql.literal(inIndexOrder)
  const period = (time: string) => sql.literal(duePeriod(time))
  const hostSlots = sql`coalesce((given.hosts ->> ${host})::int, given.per_host)`
  const platformSlots = sql.literal("coalesce((given.platforms ->> platform)::int, given.most)")
  const size = sql.literal(String(windowSize))
  /** The due targets, the oldest first, if a condition holds. */
  const due = (condition: string) =>
    sql`(SELECT id, integration_id, due_at, attempts FROM post_targets ${inOrder}
          WHERE status = 'pending' AND due_at <= (SELECT due_until FROM given) AND ${sql.literal(condition)} ORDER BY due_at`
  /** True if an index has been built, as SQL. */
  const isBuilt = (index: string) =>
    sql.literal(`EXISTS (SELECT FROM pg_index WHERE indisvalid AND indexrelid = to_regclass('${index}'))`)
  const platforms = sql.literal(LivePlatform.literals.map((each) => `('${each}')`).join(", "))

  /** Walks over the accounts with due targets of each platform that lacks accounts in the window: `short` and `walk`. */
  const walking = sql`
      -- The platforms that have more free slots than the window has accounts for, while it may miss some.
      short AS MATERIALIZED (
        SELECT platform, slots FROM (
          SELECT platform, ${platformSlots} AS slots FROM given CROSS JOIN (VALUES ${platforms}) live (platform)) each
        WHERE (SELECT walks FROM search) AND (SELECT count(*) FROM oldest) = ${size}
          AND slots > (SELECT count(*) FROM in_window WHERE platform = each.platform AND place <= host_slots)
      ),
      -- For each of them a walk over its accounts with due targets, from the oldest on, and one from a random place, which
      -- reaches what is behind more accounts than the first one visits.
      walk AS (
        SELECT platform, slots, period, hash, '00000000-0000-0000-0000-000000000000'::uuid AS integration_id,
          NULL::uuid AS id, NULL::timestamptz AS due_at, 0 AS attempts, NULL AS host, 0 AS host_slots, false AS is_free,
          '{}'::text[] AS found, 0 AS visited
        FROM short CROSS JOIN (
          SELECT '-infinity'::timestamptz AS period, 0 AS hash
          UNION ALL
          SELECT ${period(`${boundedTime("min(due_at)")} + random() * ((SELECT due_until FROM given) - ${boundedTime("min(due_at)")})`)},
            (random() * 4294967295 - 2147483648)::int FROM oldest) start
        UNION ALL
        SELECT walk.platform, walk.slots, next.period, next.hash, next.integration_id, next.id, next.due_at, next.attempts,
          account.host, account.host_slots, account.is_free,
          CASE WHEN account.is_free THEN walk.found || account.host ELSE walk.found END, walk.visited + 1
        FROM walk CROSS JOIN LATERAL (
          SELECT t.id, t.integration_id, t.due_at, t.attempts, ${period("t.due_at")} AS period,
            uuid_hash(t.integration_id) AS hash
          FROM post_targets t ${inOrder}
          WHERE t.status = 'pending' AND t.due_at IS NOT NULL AND t.platform = walk.platform
            AND (${period("t.due_at")}, uuid_hash(t.integration_id), t.integration_id) >
              (walk.period, walk.hash, walk.integration_id)
          ORDER BY ${period("t.due_at")}, uuid_hash(t.integration_id), t.integration_id, t.due_at LIMIT 1) next
        CROSS JOIN LATERAL (
          SELECT i.host, i.host_slots, next.due_at <= (SELECT due_until FROM given)
            AND i.host_slots > cardinality(array_positions(walk.found, i.host))
            AND NOT ${isBusy("next.integration_id")}
            -- Accounts count once, in the period of their earliest target.
            AND NOT EXISTS (SELECT FROM (
              SELECT t.integration_id, t.due_at FROM post_targets t ${inOrder}
              WHERE t.status = 'pending' AND t.due_at IS NOT NULL
                AND (t.integration_id, t.due_at) >= (next.integration_id, '-infinity'::timestamptz)
              ORDER BY t.integration_id, t.due_at LIMIT 1) first
              WHERE first.integration_id = next.integration_id AND first.due_at < next.period) AS is_free
          -- OFFSET 0: read twice, it would be found out twice.
          FROM (SELECT ${host} AS host, ${hostSlots} AS host_slots FROM given CROSS JOIN ${integrationOf("next")}) i OFFSET 0) account
        WHERE walk.visited < ${sql.literal(String(maxVisited))} AND cardinality(walk.found) < walk.slots
          AND next.period <= (SELECT due_until FROM given)
      ),`

  const claimDue = SqlSchema.findAll({
    Request: ClaimRequest,
    Result: UndecodedRow,
    execute: (request) => sql`
      WITH RECURSIVE
      ${givenTo(sql, request)},
      -- Until the index that serves the walk has been built, the window is a larger one instead. Until that of begun
      -- threads has been, they go on in the order of their due times.
      search AS MATERIALIZED (
        SELECT ${isBuilt(dueAccountsIndex)} AS walks, ${isBuilt(begunThreadsIndex)} AS finds_begun
      ),
      -- Targets whose process stopped or lost the database before it settled them: the lease of the claim has expired, or
      -- that of its owner, or the process gave the claim up.
      -- And targets of this process's own lost claims, on which it has not begun to work.
      in_flight AS MATERIALIZED (
        SELECT t.id, t.integration_id, t.due_at, t.attempts - ${isLost(sql)}::int AS earlier_attempts, t.lease_until,
          CASE WHEN ${isLost(sql)} OR ${isOwnerGone(sql)} THEN t.claim_token END AS abandoned_token
        FROM post_targets t WHERE t.status = 'publishing'
      ),
      expired AS (
        SELECT id, integration_id, abandoned_token, ${since("earlier_attempts")} AS since FROM in_flight
        WHERE lease_until <= (SELECT now FROM given) OR abandoned_token IS NOT NULL
        ORDER BY due_at LIMIT ${size}
      ),
      -- The window: the oldest due targets, of whatever account.
      oldest AS MATERIALIZED (
        ${due("true")} LIMIT ${size})
        UNION ALL
        ${due("NOT (SELECT walks FROM search)")} OFFSET ${size} LIMIT ${sql.literal(String(largeWindowSize))})
      ),
      -- Of these the earliest one of each account that has none in flight, in places on their hosts.
      in_window AS MATERIALIZED (
        SELECT o.*, i.platform, ${host} AS host, ${hostSlots} AS host_slots, row_number() OVER (PARTITION BY ${host}) AS place
        FROM given CROSS JOIN (
          SELECT DISTINCT ON (integration_id) * FROM oldest WHERE NOT ${isBusy("integration_id")}
          ORDER BY integration_id, due_at, id) o
        CROSS JOIN LATERAL ${integrationOf("o")}
      ),
      ${walking}
      -- The earliest one of each account.
      earliest AS (
        SELECT DISTINCT ON (integration_id) id, integration_id, due_at, attempts, platform, host, host_slots FROM (
          SELECT id, integration_id, due_at, attempts, platform, host, host_slots FROM in_window
          UNION ALL
          SELECT id, integration_id, due_at, attempts, platform, host, host_slots FROM walk WHERE is_free
        ) due ORDER BY integration_id, due_at, id
      ),
      -- Each account's thread that began first and has a due part. Threads without a time began before there was such a
      -- time.
      begun AS MATERIALIZED (
        SELECT first.id, first.integration_id, first.due_at, first.attempts, i.platform, ${host} AS host,
          ${hostSlots} AS host_slots
        FROM given CROSS JOIN (
          SELECT DISTINCT ON (integration_id) * FROM (
            SELECT id, integration_id, due_at, attempts, begun_at FROM post_targets ${inOrder}
            WHERE ${sql.literal(hasBegun)} AND due_at <= (SELECT due_until FROM given)
              AND (SELECT finds_begun FROM search)
            ORDER BY due_at LIMIT ${size}) due
          WHERE NOT ${isBusy("integration_id")} ORDER BY integration_id, begun_at NULLS FIRST, due_at, id) first
        CROSS JOIN LATERAL ${integrationOf("first")}
      ),
      -- The target that each account sends next, and since when it waits. First attempts come before repeated ones, so
      -- that a platform that does not respond holds up only what has been tried.
      next AS (
        SELECT id, turn_id, platform, host, host_slots, ${since("attempts")} AS since FROM (
          SELECT coalesce(begun.id, earliest.id) AS id, coalesce(earliest.id, begun.id) AS turn_id,
            coalesce(begun.attempts, earliest.attempts) AS attempts, least(begun.due_at, earliest.due_at) AS due_at,
            coalesce(begun.platform, earliest.platform) AS platform,
            coalesce(begun.host, earliest.host) AS host, coalesce(begun.host_slots, earliest.host_slots) AS host_slots
          FROM earliest FULL JOIN begun USING (integration_id)
        ) turn
      ),
      -- An account that has a target in flight is skipped; an expired target is itself the one in flight.
      candidates AS (
        SELECT expired.id, expired.id AS turn_id, abandoned_token, since, i.platform, ${host} AS host,
          ${hostSlots} AS host_slots
        FROM given CROSS JOIN expired CROSS JOIN LATERAL ${integrationOf("expired")}
        UNION ALL
        SELECT id, turn_id, NULL, since, platform, host, host_slots FROM next
      ),
      -- Of each host and then of each platform, as many as have a free slot: the ones that have waited longest.
      within_host AS (
        SELECT *, row_number() OVER (PARTITION BY host ORDER BY since, turn_id) AS place FROM candidates
      ),
      within_platform AS (
        SELECT id, turn_id, abandoned_token, since, platform,
          row_number() OVER (PARTITION BY platform ORDER BY since, turn_id) AS place
        FROM within_host WHERE place <= host_slots
      ),
      chosen AS MATERIALIZED (
        SELECT id, abandoned_token FROM given CROSS JOIN within_platform WHERE place <= ${platformSlots}
        ORDER BY since, turn_id LIMIT (SELECT most FROM given)
      ),
      ${claimChosen(sql)}
      ${selectClaimed(sql)}`
  })

  /** Row by row, so that one that this version can't read does not hold up the others. */
  const decodeRows = Effect.fnUntraced(function* (asked: number, rows: ReadonlyArray<typeof UndecodedRow.Type>) {
    const times = { asked, answered: yield* monotonicMillis }
    const [claims, unreadable] = Arr.partition(rows, (row) =>
      Result.mapError(readClaim(row, times), (error) => ({ ...row, error }))
    )
    yield* setAside(unreadable)
    return claims
  })

  const claim: Targets["claim"] = Effect.fn("Repo.targets.claim")(
    (limit, lease, { owner, slots, within = Duration.zero } = {}) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        // Read second: a pause between the two makes a target wait longer by the process's own clock, and never less.
        const asked = yield* monotonicMillis
        const token = yield* nextClaimToken
        const leaseUntil = DateTime.addDuration(now, lease)
        const given = {
          token,
          now,
          within: Duration.toMillis(within),
          leaseUntil,
          ownerId: owner?.id ?? null,
          takesOver: owner?.takesOver ?? false,
          lost: yield* lostClaims.tokensAt(now),
          abandoned: yield* lostClaims.abandonedAt(now),
          limit,
          perHost: slots?.perHost ?? limit,
          platforms: slots?.platforms ?? {},
          hosts: slots?.hosts ?? {}
        }
        const rows = yield* (slots === undefined ? Effect.undefined : few.claim(given)).pipe(
          Effect.filterOrElse(Predicate.isNotUndefined, () =>
            claimDue(given).pipe(Effect.tap((found) => few.learn(found.length)))
          ),
          lostClaims.remembering({ token, leaseUntil })
        )
        return { asked, rows }
      }).pipe(
        // Two processes that choose different targets of one account at once: the unique index
        // post_targets_one_in_flight lets only one of them through, and the other chooses again.
        Effect.retry({ times: 3, while: isUniqueViolation }),
        withDatabaseTimeout("claiming due targets"),
        Effect.flatMap(({ asked, rows }) => decodeRows(asked, rows))
      )
  )
  return { claim, abandon: lostClaims.abandon }
})
