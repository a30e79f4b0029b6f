import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../src/repo/Repo.ts"
import { deletePosts, lease, makeDuePosts, repeatConcurrently } from "../support/database/duePosts.ts"
import { repoLayer } from "../support/database/testDatabase.ts"

/** Leaves one lease, renewed `secondsAgo`. Returns the renewal's time in milliseconds. */
const lastRenewal = Effect.fn(function* (secondsAgo: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM processes`
  const [row] = yield* sql<{ readonly renewedAt: number }>`
    INSERT INTO processes (id, started_at, lease_until) SELECT gen_random_uuid(), now() - interval '1 day',
      now() - ${secondsAgo} * interval '1 second' + interval '30 seconds'
    RETURNING extract(epoch FROM lease_until - interval '30 seconds')::float8 * 1000 AS "renewedAt"`
  return row?.renewedAt ?? Number.NaN
})

/** Makes a due target for each change, each on its own account, and applies the change's SQL to it. */
const makeTargets = Effect.fn(function* (changes: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  yield* deletePosts
  const posts = yield* makeDuePosts(changes.length, 1)
  for (const [index, change] of changes.entries())
    yield* sql.unsafe(`UPDATE post_targets SET ${change} WHERE id = $1::uuid`, [posts[index]?.targetId])
  return posts.map(({ targetId }) => targetId)
})

/** The time from which each target's platform is searched, in milliseconds and in order; null if it is not searched. */
const looksFrom = Effect.fn(function* (targetIds: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly time: number | null }>`
    SELECT extract(epoch FROM t.reconcile_from)::float8 * 1000 AS time
    FROM unnest(${targetIds}::uuid[]) WITH ORDINALITY AS wanted(id, place)
    JOIN post_targets t ON t.id = wanted.id ORDER BY place`
  return rows.map(({ time }) => time)
})

const claimed = "status = 'publishing', claim_token = gen_random_uuid(), lease_until = now() - interval '10 seconds'"
const sent = "prepared = '{}', sent_at = now() - interval '90 seconds'"

layer(repoLayer, { excludeTestServices: true })("publishingState", (it) => {
  it.effect(
    "After a gap without renewals what was due by now and may have been sent unseen looks before it is sent",
    () =>
      Effect.gen(function* () {
        const { publishingState } = yield* Repo
        const ids = yield* makeTargets([
          "due_at = now() - interval '30 seconds'",
          "due_at = now() - interval '1 hour', attempts = 3",
          claimed,
          "due_at = now() - interval '30 seconds', reconcile_from = now() - interval '1 hour'",
          "due_at = now() + interval '1 hour'",
          "due_at = NULL, due_since = NULL",
          sent,
          `${claimed}, ${sent}`
        ])
        const [, , , earlier] = yield* looksFrom(ids)
        const renewedAt = yield* lastRenewal(120)
        assert.strictEqual(yield* publishingState.lookAfterGap, 3)
        const looks = yield* looksFrom(ids)
        for (const time of looks.slice(0, 3)) assert.closeTo(Number(time), renewedAt, 1)
        assert.deepStrictEqual(looks.slice(3), [earlier, null, null, null, null])
      })
  )

  it.effect(
    "After a gap what waited for its upload at its time looks too, although it is not due before its window ends",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { publishingState } = yield* Repo
        const waits = "due_since = now() - interval '1 minute', due_at = now() + interval '23 hours'"
        const later = "due_since = now() + interval '1 minute', due_at = now() + interval '24 hours'"
        const ids = yield* makeTargets([waits, waits, later])
        const statuses = ["waiting", "ready", "waiting"]
        for (const [index, id] of ids.entries()) {
          yield* sql`INSERT INTO post_target_uploads (workspace_id, target_id, status, start_at, next_at, revision)
          SELECT workspace_id, id, ${statuses[index]}, now(), ${statuses[index] === "waiting" ? new Date() : null}, 1
          FROM post_targets WHERE id = ${id}::uuid`
        }
        const renewedAt = yield* lastRenewal(120)
        assert.strictEqual(yield* publishingState.lookAfterGap, 1)
        const [time, ...others] = yield* looksFrom(ids)
        assert.closeTo(Number(time), renewedAt, 1)
        assert.deepStrictEqual(others, [null, null])
      })
  )

  it.effect("Processes that start at once after a gap mark each target once", () =>
    Effect.gen(function* () {
      const { publishingState } = yield* Repo
      const ids = yield* makeTargets(Array.from({ length: 20 }, () => "attempts = 0"))
      yield* lastRenewal(120)
      const counts = yield* repeatConcurrently(4, publishingState.lookAfterGap)
      assert.strictEqual(
        counts.reduce((sum, count) => sum + count, 0),
        20
      )
      assert.notInclude(yield* looksFrom(ids), null)
    })
  )

  it.effect("A process whose lease is not in the database gets another one only after what was due looks first", () =>
    Effect.gen(function* () {
      const { processes } = yield* Repo
      const ids = yield* makeTargets(["attempts = 0", claimed])
      const { id: before } = yield* processes.renew(null, Duration.seconds(30))
      const renewedAt = yield* lastRenewal(120)
      assert.notStrictEqual((yield* processes.renew(before, Duration.seconds(30))).id, before)
      for (const time of yield* looksFrom(ids)) assert.closeTo(Number(time), renewedAt, 1)
    })
  )

  it.effect("A process whose lease is not in the database claims nothing", () =>
    Effect.gen(function* () {
      const { processes, targets } = yield* Repo
      yield* makeTargets(["attempts = 0"])
      const { id } = yield* processes.renew(null, Duration.seconds(30))
      yield* lastRenewal(120)
      const claim = targets.claim(10, lease, { owner: { id, takesOver: false } })
      assert.deepStrictEqual(yield* claim, [])
      yield* (yield* SqlClient.SqlClient)`UPDATE processes SET id = ${id}::uuid`
      assert.deepStrictEqual(yield* claim, [])
      const owner = { ...(yield* processes.renew(id, Duration.seconds(30))), takesOver: false }
      const [target] = yield* targets.claim(10, lease, { owner })
      assert.isNotNull(target?.reconcileFrom)
    })
  )

  it.effect("Nothing looks first where a renewal is recent, nor where there has never been one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { publishingState } = yield* Repo
      const ids = yield* makeTargets(["attempts = 0"])
      yield* lastRenewal(50)
      assert.strictEqual(yield* publishingState.lookAfterGap, 0)
      yield* sql`DELETE FROM processes`
      assert.strictEqual(yield* publishingState.lookAfterGap, 0)
      assert.deepStrictEqual(yield* looksFrom(ids), [null])
    })
  )

  it.effect(
    "While publishing is held nothing is claimed, neither what is due nor what another process left behind",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { publishingState, targets } = yield* Repo
        yield* makeTargets(["attempts = 0", claimed])
        assert.isTrue(Option.isNone(yield* publishingState.hold))
        yield* sql`INSERT INTO publishing_state (held_since) VALUES (now())`
        assert.deepStrictEqual(yield* targets.claim(10, lease), [])
        assert.isTrue(Option.isSome(yield* publishingState.hold))
        yield* sql`UPDATE publishing_state SET held_since = NULL`
        assert.lengthOf(yield* targets.claim(10, lease), 2)
        assert.isTrue(Option.isNone(yield* publishingState.hold))
      })
  )
})
