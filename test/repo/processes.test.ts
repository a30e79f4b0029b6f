import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Queue, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ProcessId } from "../../src/domain/ids.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { repoLayer } from "../support/database/testDatabase.ts"

const length = Duration.seconds(30)
const poolSize = 10

const age = (id: ProcessId, interval: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE processes SET lease_until = now() - ${interval}::interval WHERE id = ${id}::uuid`
  )

/** Lets a process that has ended, or lost its machine, have had its last answer this long ago, after a minute of answers. */
const lastAnswered = (id: ProcessId, interval: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE processes SET renewed_at = now() - ${interval}::interval,
      unbroken_since = now() - ${interval}::interval - interval '1 minute' WHERE id = ${id}::uuid`
  )

/** The seconds since the last answer to any process. */
const sinceAnswer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows =
    yield* sql`SELECT extract(epoch FROM clock_timestamp() - max(renewed_at))::float8 AS seconds FROM processes`
  const [row] = yield* Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ seconds: Schema.Finite })))(rows)
  return row?.seconds ?? Infinity
})

const Lease = Schema.Struct({ id: Schema.String, seconds: Schema.Finite })

/** All leases with the seconds until they expire, the earliest first. */
const leases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    SELECT id, extract(epoch FROM lease_until - now())::float8 AS seconds FROM processes ORDER BY lease_until`
  return yield* Schema.decodeUnknownEffect(Schema.Array(Lease))(rows)
})

const deleteOthers = (id: ProcessId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM processes WHERE id <> ${id}::uuid`)

const deleteLeases = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM processes`)

layer(repoLayer, { excludeTestServices: true })("processes", (it) => {
  it.effect("A process keeps its lease as long as it renews it in time", () =>
    Effect.gen(function* () {
      yield* deleteLeases
      const { processes } = yield* Repo
      const { id } = yield* processes.renew(null, Duration.seconds(10))
      assert.strictEqual((yield* processes.renew(id, length)).id, id)
      const [lease, ...others] = yield* leases
      assert.deepStrictEqual(others, [])
      assert.strictEqual(lease?.id, id)
      assert.isAbove(lease?.seconds ?? 0, 20)
    })
  )

  it.effect("A process that ends its lease wakes the publishers of the others, which claim what it has left", () =>
    Effect.gen(function* () {
      yield* deleteLeases
      const { processes, targets } = yield* Repo
      const { id } = yield* processes.renew(null, length)
      const woken = yield* Queue.unbounded<void>()
      yield* Effect.forkScoped(Effect.eventually(targets.listen(Queue.offer(woken, undefined))))
      // The first wake-up means that the listener is ready.
      yield* Queue.take(woken)
      yield* processes.end(id)
      yield* Queue.take(woken).pipe(Effect.timeout("5 seconds"))
    }).pipe(Effect.scoped)
  )

  it.effect("A process whose lease has expired goes on under another id, and the expired lease is not revived", () =>
    Effect.gen(function* () {
      yield* deleteLeases
      const { processes } = yield* Repo
      const { id: expired } = yield* processes.renew(null, length)
      yield* age(expired, "1 second")
      const { id } = yield* processes.renew(expired, length)
      assert.notStrictEqual(id, expired)
      assert.deepStrictEqual(
        (yield* leases).map((lease) => [lease.id, lease.seconds > 0]),
        [
          [expired, false],
          [id, true]
        ]
      )
    })
  )

  it.effect("A process takes over only once it has renewed its lease for as long as a lease lasts", () =>
    Effect.gen(function* () {
      yield* deleteLeases
      const sql = yield* SqlClient.SqlClient
      const { processes } = yield* Repo
      const { id, takesOver } = yield* processes.renew(null, length)
      assert.isFalse(takesOver)
      yield* sql`UPDATE processes SET unbroken_since = now() - interval '25 seconds'`
      assert.isFalse((yield* processes.renew(id, length)).takesOver)
      yield* sql`UPDATE processes SET unbroken_since = now() - interval '30 seconds'`
      assert.isTrue((yield* processes.renew(id, length)).takesOver)
    })
  )

  it.effect("A process that starts soon after another was killed takes over at once, and not after a gap", () =>
    Effect.gen(function* () {
      yield* deleteLeases
      const { processes } = yield* Repo
      const { id: killed } = yield* processes.renew(null, length)
      yield* lastAnswered(killed, "14 seconds")
      const next = yield* processes.renew(null, length)
      assert.isTrue(next.takesOver)
      yield* lastAnswered(next.id, "14 seconds")
      assert.isTrue((yield* processes.renew(next.id, length)).takesOver)
      assert.isBelow(yield* sinceAnswer, 14)
      yield* lastAnswered(killed, "1 hour")
      assert.isTrue((yield* processes.renew(next.id, length)).takesOver)
      yield* lastAnswered(next.id, "16 seconds")
      assert.isFalse((yield* processes.renew(null, length)).takesOver)
      // Its own lease, of a day, outlasted the gap.
      const { id: long } = yield* processes.renew(null, Duration.days(1))
      yield* lastAnswered(next.id, "1 hour")
      yield* lastAnswered(long, "16 seconds")
      yield* deleteOthers(long)
      assert.isFalse((yield* processes.renew(long, length)).takesOver)
    })
  )

  it.effect("The end of a lease is an answer too, but closes no gap before it", () =>
    Effect.gen(function* () {
      yield* deleteLeases
      const { processes } = yield* Repo
      const { id: ended } = yield* processes.renew(null, length)
      yield* lastAnswered(ended, "14 seconds")
      yield* processes.end(ended)
      assert.isBelow(yield* sinceAnswer, 14)
      const { id, takesOver } = yield* processes.renew(null, length)
      assert.isTrue(takesOver)
      yield* deleteOthers(id)
      yield* lastAnswered(id, "16 seconds")
      yield* processes.end(id)
      assert.isFalse((yield* processes.renew(null, length)).takesOver)
    })
  )

  it.effect("The process that has got answers for the longest time counts", () =>
    Effect.gen(function* () {
      yield* deleteLeases
      const { processes } = yield* Repo
      const { id: long } = yield* processes.renew(null, length)
      yield* processes.renew(null, length)
      yield* lastAnswered(long, "1 second")
      assert.isTrue((yield* processes.renew(null, length)).takesOver)
    })
  )

  it.effect("A process of the version before says nothing about the database", () =>
    Effect.gen(function* () {
      yield* deleteLeases
      const sql = yield* SqlClient.SqlClient
      const { processes } = yield* Repo
      yield* processes.renew(null, length)
      yield* sql`UPDATE processes SET renewed_at = NULL, unbroken_since = NULL`
      assert.isFalse((yield* processes.renew(null, length)).takesOver)
    })
  )

  it.effect("A lease is renewed while every connection of the pool is busy", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { processes } = yield* Repo
      const { id } = yield* processes.renew(null, length)
      const release = yield* Deferred.make<void>()
      const reserved = yield* Effect.forEach(Array.from({ length: poolSize }), () =>
        Effect.gen(function* () {
          const isReserved = yield* Deferred.make<void>()
          const transaction = yield* Effect.forkChild(
            sql.withTransaction(Effect.andThen(Deferred.succeed(isReserved, undefined), Deferred.await(release)))
          )
          yield* Deferred.await(isReserved)
          return transaction
        })
      )
      assert.strictEqual((yield* processes.renew(id, length)).id, id)
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.joinAll(reserved)
    })
  )

  it.effect("Leases that expired more than an hour ago are removed, except the last one", () =>
    Effect.gen(function* () {
      yield* deleteLeases
      const { processes } = yield* Repo
      const { id: oldest } = yield* processes.renew(null, length)
      const { id: last } = yield* processes.renew(null, length)
      yield* age(oldest, "3 hours")
      yield* age(last, "2 hours")
      const { id } = yield* processes.renew(null, length)
      yield* processes.renew(id, length)
      assert.deepStrictEqual(
        (yield* leases).map((lease) => lease.id),
        [last, id]
      )
    })
  )

  it.effect("A lease that was ended leaves the time of its end, but no owner of its claims", () =>
    Effect.gen(function* () {
      yield* deleteLeases
      const { processes } = yield* Repo
      const { id } = yield* processes.renew(null, length)
      yield* processes.end(id)
      const [left] = yield* leases
      assert.notStrictEqual(left?.id, id)
      assert.isAtMost(left?.seconds ?? 1, 0)
      assert.notStrictEqual((yield* processes.renew(id, length)).id, id)
    })
  )
})
