import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Logger, Option } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { ProcessId } from "../../src/domain/ids.ts"
import { MeansToSettle } from "../../src/publishing/MeansToSettle.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { repeatWhileUnavailable } from "../../src/worker/retryWhileUnavailable.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"

const id = ProcessId.make("01a1fc17-0000-7000-8000-000000000001")
const unavailable = Effect.fail(new DatabaseUnavailable({ operation: "a test", cause: "unavailable" }))

interface Database {
  open: Effect.Effect<void, DatabaseUnavailable>
  probe: Effect.Effect<void, DatabaseUnavailable>
  probes: number
  renewals: number
  ends: number
}

/** Runs a test with a process's lease. `database` decides if its connection for settlements opens and passes probes. */
const withDatabase = <A, E>(test: (database: Database) => Effect.Effect<A, E, ProcessLease | MeansToSettle>) =>
  Effect.suspend(() => {
    const database: Database = { open: Effect.void, probe: unavailable, probes: 0, renewals: 0, ends: 0 }
    const repo = fakeRepo({
      targets: {
        openSettling: Effect.suspend(() => database.open),
        probeSettling: Effect.suspend(() => {
          database.probes++
          return database.probe
        })
      },
      processes: {
        renew: () =>
          Effect.sync(() => {
            database.renewals++
            return { id, takesOver: false }
          }),
        end: () => Effect.sync(() => void database.ends++)
      }
    })
    const layer = Layer.fresh(ProcessLease.layer).pipe(Layer.provide([repo, Logger.layer([])]))
    return Effect.provide(test(database), layer)
  })

const right = Effect.flatMap(ProcessLease, (lease) => lease.right)
const current = Effect.flatMap(ProcessLease, (lease) => lease.current)

/** Begins a write that is repeated each second for a minute while it fails. */
const beginWrite = Effect.fnUntraced(function* (write: Effect.Effect<void, DatabaseUnavailable>) {
  const { watch } = yield* MeansToSettle
  return yield* Effect.forkChild(watch(repeatWhileUnavailable)(write))
})

const lockConflict = new DatabaseUnavailable({
  operation: "a test",
  cause: new SqlError.SqlError({ reason: new SqlError.LockTimeoutError({ cause: "a lock" }) })
})

/** Fails unless the process may claim and send during all of these seconds. */
const keepsRight = Effect.fnUntraced(function* (seconds: number) {
  for (let second = 0; second < seconds; second++) {
    yield* TestClock.adjust("1 second")
    assert.isTrue(Option.isSome(yield* right))
    assert.isTrue(Option.isSome(yield* current))
  }
})

describe("MeansToSettle", () => {
  it.effect("A process claims nothing while the connection for settlements can't be opened", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(0)
        assert.isTrue(Option.isSome(yield* right))
        database.open = unavailable
        assert.isTrue(Option.isNone(yield* right))
        database.open = Effect.void
        assert.isTrue(Option.isSome(yield* right))
      })
    )
  )

  it.effect("A process claims nothing once a write that ends a claim was refused for five seconds", () =>
    withDatabase(() =>
      Effect.gen(function* () {
        const { refusal, watch } = yield* MeansToSettle
        yield* TestClock.adjust(0)
        let write: Effect.Effect<void, DatabaseUnavailable> = unavailable
        yield* Effect.forkChild(watch(repeatWhileUnavailable)(Effect.suspend(() => write)))
        yield* TestClock.adjust("4 seconds")
        assert.isTrue(Option.isSome(yield* right))
        yield* TestClock.adjust("1 second")
        assert.isTrue(Option.isNone(yield* right))
        assert.deepStrictEqual(
          Option.map(yield* refusal, ({ lasted }) => Duration.toSeconds(lasted)),
          Option.some(5)
        )
        write = Effect.void
        yield* TestClock.adjust("1 second")
        assert.isTrue(Option.isSome(yield* right))
      })
    )
  )

  it.effect(
    "A process keeps its lease and claims while writes of single rows are refused and others can be stored",
    () =>
      withDatabase((database) =>
        Effect.gen(function* () {
          yield* TestClock.adjust(0)
          database.probe = Effect.void
          yield* Effect.forEach([1, 2, 3], () => beginWrite(unavailable))
          yield* keepsRight(30)
          assert.isAtLeast(database.probes, 25)
          assert.isAtMost(database.probes, 31)
          assert.strictEqual(database.ends, 0)
        })
      )
  )

  it.effect("A process claims again once a probe is stored, and probes no more when no write is refused", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(0)
        const write = yield* beginWrite(unavailable)
        yield* TestClock.adjust("6 seconds")
        assert.isTrue(Option.isNone(yield* right))
        database.probe = Effect.void
        yield* TestClock.adjust("1 second")
        assert.isTrue(Option.isSome(yield* right))
        yield* Fiber.interrupt(write)
        yield* TestClock.adjust("1 second")
        const { probes } = database
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(database.probes, probes)
      })
    )
  )

  it.effect("Another request's lock on one row does not keep a process from claiming", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(0)
        yield* beginWrite(Effect.fail(lockConflict))
        yield* keepsRight(30)
        assert.strictEqual(database.probes, 0)
      })
    )
  )

  it.effect("A write that is given up no longer keeps a process from claiming", () =>
    withDatabase(() =>
      Effect.gen(function* () {
        yield* TestClock.adjust(0)
        const write = yield* beginWrite(unavailable)
        yield* TestClock.adjust("10 seconds")
        assert.isTrue(Option.isNone(yield* right))
        yield* TestClock.adjust("1 minute")
        assert.isDefined(write.pollUnsafe())
        assert.isTrue(Option.isSome(yield* right))
      })
    )
  )

  it.effect("A write that is stored says that the others' refusals are over", () =>
    withDatabase(() =>
      Effect.gen(function* () {
        yield* TestClock.adjust(0)
        yield* beginWrite(unavailable)
        yield* TestClock.adjust("6 seconds")
        assert.isTrue(Option.isNone(yield* right))
        yield* beginWrite(Effect.void)
        yield* TestClock.adjust(0)
        assert.isTrue(Option.isSome(yield* right))
      })
    )
  )

  it.effect("Who waits to claim is woken when outcomes can be stored again", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        const { gained } = yield* ProcessLease
        yield* TestClock.adjust(0)
        yield* gained
        database.open = unavailable
        yield* right
        const waiting = yield* Effect.forkChild(gained)
        yield* TestClock.adjust("5 seconds")
        assert.isUndefined(waiting.pollUnsafe())
        assert.isTrue(Option.isSome(yield* current))
        database.open = Effect.void
        yield* TestClock.adjust("1 second")
        assert.isDefined(waiting.pollUnsafe())
      })
    )
  )

  it.effect(
    "A process sends nothing after ten seconds, ends its lease after twenty, and gets one again afterwards",
    () =>
      withDatabase((database) =>
        Effect.gen(function* () {
          yield* TestClock.adjust("31 seconds")
          database.open = unavailable
          yield* right
          yield* TestClock.adjust("9 seconds")
          assert.isTrue(Option.isSome(yield* current))
          yield* TestClock.adjust("2 seconds")
          assert.isTrue(Option.isNone(yield* current))
          assert.strictEqual(database.ends, 0)
          const { renewals } = database
          yield* TestClock.adjust("10 seconds")
          assert.strictEqual(database.ends, 1)
          yield* TestClock.adjust("1 minute")
          assert.strictEqual(database.ends, 1)
          assert.strictEqual(database.renewals, renewals)
          database.open = Effect.void
          yield* TestClock.adjust("1 second")
          assert.isTrue(Option.isSome(yield* current))
        })
      )
  )
})
