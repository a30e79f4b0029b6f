import { Array as Arr, DateTime, Duration, Effect, Predicate, Result } from "effect"
import { SqlSchema } from "effect/sql"
import { nextClaimToken } from "../../domain/ids.ts"
import { monotonicMillis } from "../../domain/monotonic.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { boundedTime } from "../postgres/boundedTime.ts"
import { ClaimClient } from "../postgres/database.ts"
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

/** `largeWindowSize` replaces the walk if the walk's index is missing. */
const windowSize = 500
const largeWindowSize = 20_000

/** An account counts once per period with a due target. */
const maxVisited = 1000

/**
 * A fair claim: at most one target per account is in flight. Rejected plans:
 *
 * - `ORDER BY due_at LIMIT n FOR UPDATE SKIP LOCKED`: one account's backlog fills the limit and starves the others, and
 *   several targets of one account are taken.
 * - Walking every account in every claim: the cost grows with each account that has an open target, including future
 *   targets.
 *
 * The claim searches a window of the oldest due targets. If fewer than `windowSize` are due, the window has them all. A
 * full window may miss accounts behind the backlogs of others. The claim then also walks the accounts, for platforms
 * whose free slots the window does not fill. The walk uses the index post_targets_due_accounts, from the oldest period
 * on. It visits an account once per period with a due target, and skips the rest of its backlog. It ends once it has
 * enough, or after `maxVisited` if thousands of accounts wait for hosts without a slot. A second walk begins at a
 * random place, so that every account is reached. test/bench/claim.ts measures this.
 *
 * A begun thread goes before its account's other due targets. The window may miss the thread's next part, which is due
 * after a pause, so a separate index finds it. The thread takes its account's turn, which counts from the account's
 * earliest due target. An account found only by its thread counts neither for the window nor for the walk.
 *
 * The plan must not depend on statistics, which may be from when nothing was due: a claim by statistics reached its
 * timeout with 10,000 posts due. So searches follow an index's order (`inIndexOrder`), found rows are read by id, and
 * `IS TRUE` hides a condition that would tempt the planner to another index.
 *
 * The statement is prepared, because planning takes as long as running it, and never planned for its values (see
 * `ClaimClient`). The plan may be from empty tables, so only indexes are read (`indexesAlone` in database.ts). The
 * window is a literal, because the planner does not know a parameter's value.
 */
export const makeClaim = Effect.gen(function* () {
  const sql = yield* ClaimClient
  const lostClaims = yield* makeLostClaims(Duration.minutes(10))
  const setAside = yield* makeSetAside(lostClaims.abandon)
  const few = yield* makeClaimFew
  const host = hostOf(sql)
  /** If slots are scarce, a repeated attempt waits a minute longer than a first one. */
  const since = (attempts: string) =>
    sql.literal(`${boundedTime("due_at")} + CASE WHEN ${attempts} > 0 THEN interval '1 minute' ELSE interval '0' END`)

  const integrationOf = (row: string) => rowOf(sql, row)
  const isBusy = (integration: string) => sql.literal(`${integration} IN (SELECT integration_id FROM in_flight)`)
  const inOrder = sql.literal(inIndexOrder)
  const period = (time: string) => sql.literal(duePeriod(time))
  const hostSlots = sql`coalesce((given.hosts ->> ${host})::int, given.per_host)`
  const platformSlots = sql.literal("coalesce((given.platforms ->> platform)::int, given.most)")
  const size = sql.literal(String(windowSize))
  const due = (condition: string) =>
    sql`(SELECT id, integration_id, due_at, attempts FROM post_targets ${inOrder}
          WHERE status = 'pending' AND due_at <= (SELECT due_until FROM given) AND ${sql.literal(condition)} ORDER BY due_at`
  const isBuilt = (index: string) =>
    sql.literal(`EXISTS (SELECT FROM pg_index WHERE indisvalid AND indexrelid = to_regclass('${index}'))`)
  const platforms = sql.literal(LivePlatform.literals.map((each) => `('${each}')`).join(", "))

  const walking = sql`
      -- Platforms with more free slots than accounts in the window, if the window may miss accounts.
      short AS MATERIALIZED (
        SELECT platform, slots FROM (
          SELECT platform, ${platformSlots} AS slots FROM given CROSS JOIN (VALUES ${platforms}) live (platform)) each
        WHERE (SELECT walks FROM search) AND (SELECT count(*) FROM oldest) = ${size}
          AND slots > (SELECT count(*) FROM in_window WHERE platform = each.platform AND place <= host_slots)
      ),
      -- Two walks: from the oldest on, and from a random place, to reach accounts that the first walk does not.
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
            -- An account counts once, in the period of its earliest target.
            AND NOT EXISTS (SELECT FROM (
              SELECT t.integration_id, t.due_at FROM post_targets t ${inOrder}
              WHERE t.status = 'pending' AND t.due_at IS NOT NULL
                AND (t.integration_id, t.due_at) >= (next.integration_id, '-infinity'::timestamptz)
              ORDER BY t.integration_id, t.due_at LIMIT 1) first
              WHERE first.integration_id = next.integration_id AND first.due_at < next.period) AS is_free
          -- OFFSET 0: the result is read twice, and would be computed twice.
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
      -- Until an index has been built, a larger window replaces the walk, or threads go on in the order of their due
      -- times.
      search AS MATERIALIZED (
        SELECT ${isBuilt(dueAccountsIndex)} AS walks, ${isBuilt(begunThreadsIndex)} AS finds_begun
      ),
      -- Abandoned targets have a token: the lease of their claim or owner has expired, the process gave the claim up,
      -- or this process lost the claim.
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
      -- The window: the oldest due targets of all accounts.
      oldest AS MATERIALIZED (
        ${due("true")} LIMIT ${size})
        UNION ALL
        ${due("NOT (SELECT walks FROM search)")} OFFSET ${size} LIMIT ${sql.literal(String(largeWindowSize))})
      ),
      -- The window's earliest target of each idle account, numbered on its host.
      in_window AS MATERIALIZED (
        SELECT o.*, i.platform, ${host} AS host, ${hostSlots} AS host_slots, row_number() OVER (PARTITION BY ${host}) AS place
        FROM given CROSS JOIN (
          SELECT DISTINCT ON (integration_id) * FROM oldest WHERE NOT ${isBusy("integration_id")}
          ORDER BY integration_id, due_at, id) o
        CROSS JOIN LATERAL ${integrationOf("o")}
      ),
      ${walking}
      earliest AS (
        SELECT DISTINCT ON (integration_id) id, integration_id, due_at, attempts, platform, host, host_slots FROM (
          SELECT id, integration_id, due_at, attempts, platform, host, host_slots FROM in_window
          UNION ALL
          SELECT id, integration_id, due_at, attempts, platform, host, host_slots FROM walk WHERE is_free
        ) due ORDER BY integration_id, due_at, id
      ),
      -- Each account's first-begun thread with a due part. A thread without begun_at began before that column existed.
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
      -- First attempts come before repeated ones, so that an unresponsive platform holds up only what has been tried.
      next AS (
        SELECT id, turn_id, platform, host, host_slots, ${since("attempts")} AS since FROM (
          SELECT coalesce(begun.id, earliest.id) AS id, coalesce(earliest.id, begun.id) AS turn_id,
            coalesce(begun.attempts, earliest.attempts) AS attempts, least(begun.due_at, earliest.due_at) AS due_at,
            coalesce(begun.platform, earliest.platform) AS platform,
            coalesce(begun.host, earliest.host) AS host, coalesce(begun.host_slots, earliest.host_slots) AS host_slots
          FROM earliest FULL JOIN begun USING (integration_id)
        ) turn
      ),
      -- Accounts with a target in flight were skipped above; an expired target is the one in flight.
      candidates AS (
        SELECT expired.id, expired.id AS turn_id, abandoned_token, since, i.platform, ${host} AS host,
          ${hostSlots} AS host_slots
        FROM given CROSS JOIN expired CROSS JOIN LATERAL ${integrationOf("expired")}
        UNION ALL
        SELECT id, turn_id, NULL, since, platform, host, host_slots FROM next
      ),
      -- The longest-waiting ones, as many per host and then per platform as there are free slots.
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
        // Read after `now`: a pause between the two makes a target wait longer, never less.
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
          lost: yield* lostClaims.lostTokens(now),
          abandoned: yield* lostClaims.abandonedTokens(now),
          limit,
          perHost: slots?.perHost ?? limit,
          platforms: slots?.platforms ?? {},
          hosts: slots?.hosts ?? {}
        }
        const rows = yield* (slots === undefined ? Effect.undefined : few.claim(given)).pipe(
          Effect.filterOrElse(Predicate.isNotUndefined, () =>
            claimDue(given).pipe(Effect.tap((found) => few.learn(found.length)))
          ),
          lostClaims.rememberIfLost({ token, leaseUntil })
        )
        return { asked, rows }
      }).pipe(
        // Two processes may choose different targets of one account. The unique index post_targets_one_in_flight lets
        // one through, and the other chooses again.
        Effect.retry({ times: 3, while: isUniqueViolation }),
        withDatabaseTimeout("claiming due targets"),
        Effect.flatMap(({ asked, rows }) => decodeRows(asked, rows))
      )
  )
  return { claim, abandon: lostClaims.abandon }
})
