import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { ProcessId } from "../../src/domain/ids.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { withWallClockAhead } from "../support/wallClock.ts"

const processId = (number: number) => ProcessId.make(`01a1fc17-0000-7000-8000-00000000000${number}`)
const [first, second] = [processId(1), processId(2)]

const unavailable = Effect.fail(new DatabaseUnavailable({ operation: "a test", cause: "unavailable" }))

interface Database {
  respond: Effect.Effect<ProcessId, DatabaseUnavailable>
  /** True once processes have renewed their leases for long enough. */
  takesOver: boolean
  renewals: number
}

/** Runs a test with a process's lease, whose renewals `respond` answers. */
const withDatabase = <A, E>(test: (database: Database) => Effect.Effect<A, E, ProcessLease>) =>
  Effect.suspend(() => {
    const database: Database = { respond: Effect.succeed(first), takesOver: false, renewals: 0 }
    const repo = fakeRepo({
      processes: {
        renew: () =>
          Effect.suspend(() => {
            database.renewals++
            return Effect.map(database.respond, (id) => ({ id, takesOver: database.takesOver }))
          }),
        end: () => Effect.void
      }
    })
    return Effect.provide(test(database), Layer.fresh(ProcessLease.layer).pipe(Layer.provide(repo)))
  })

const takesOver = Effect.gen(function* () {
  const { right } = yield* ProcessLease
  return Option.getOrUndefined(yield* right)?.takesOver
})

const current = Effect.gen(function* () {
  const lease = yield* ProcessLease
  return Option.getOrUndefined(yield* lease.current)
})

describe("ProcessLease", () => {
  it.effect("A process sends nothing from twenty seconds after its last renewal on, ten before its lease expires", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(0)
        database.respond = Effect.never
        yield* TestClock.adjust("19999 millis")
        assert.strictEqual(yield* current, first)
        yield* TestClock.adjust("1 milli")
        assert.isUndefined(yield* current)
      })
    )
  )

  it.effect("A process sends nothing after its machine slept, during which the monotonic clock stood still", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(0)
        database.respond = Effect.never
        assert.strictEqual(yield* withWallClockAhead(19_999)(current), first)
        assert.isUndefined(yield* withWallClockAhead(20_000)(current))
      })
    )
  )

  it.effect("A process keeps its right no longer where its wall clock is set back", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(0)
        database.respond = Effect.never
        yield* TestClock.adjust("19999 millis")
        assert.strictEqual(yield* withWallClockAhead(-3_600_000)(current), first)
        yield* TestClock.adjust("1 milli")
        assert.isUndefined(yield* withWallClockAhead(-3_600_000)(current))
      })
    )
  )

  it.effect("The right of a process counts from before its renewal was sent, however late the response comes", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(0)
        const renewed = yield* Deferred.make<ProcessId>()
        database.respond = Deferred.await(renewed)
        yield* TestClock.adjust("13 seconds")
        database.respond = Effect.never
        yield* Deferred.succeed(renewed, first)
        yield* TestClock.adjust("11 seconds")
        assert.strictEqual(yield* current, first)
        yield* TestClock.adjust("1 second")
        assert.isUndefined(yield* current)
      })
    )
  )

  it.effect("A process whose right is about to end renews its lease before it claims", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(0)
        database.respond = unavailable
        yield* TestClock.adjust("18999 millis")
        const lease = yield* ProcessLease
        const before = database.renewals
        assert.isTrue(Option.isSome(yield* lease.right))
        assert.strictEqual(database.renewals, before)
        // The attempts every second leave it unrenewed.
        yield* TestClock.adjust("1 milli")
        assert.strictEqual(yield* current, first)
        database.respond = Effect.succeed(second)
        assert.strictEqual(Option.getOrUndefined(yield* lease.right)?.id, second)
      })
    )
  )

  it.effect("A process that was suspended renews its lease before it claims", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        const lease = yield* ProcessLease
        yield* lease.right
        yield* TestClock.adjust(0)
        const before = database.renewals
        yield* lease.right
        assert.strictEqual(database.renewals, before)
        database.respond = Effect.succeed(second)
        yield* TestClock.setTime(Duration.toMillis("1 hour"))
        const right = yield* lease.right
        assert.strictEqual(Option.getOrUndefined(right)?.id, second)
      })
    )
  )

  it.effect("A process that can't renew its lease claims nothing", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        const lease = yield* ProcessLease
        yield* TestClock.adjust(0)
        database.respond = unavailable
        yield* TestClock.adjust("20 seconds")
        const refused = yield* Effect.flip(lease.right)
        assert.strictEqual(refused._tag, "DatabaseUnavailable")
      })
    )
  )

  it.effect("A process takes over claims from the renewal on that says so", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(0)
        assert.isFalse(yield* takesOver)
        database.takesOver = true
        yield* TestClock.adjust("4999 millis")
        assert.isFalse(yield* takesOver)
        yield* TestClock.adjust("1 milli")
        assert.isTrue(yield* takesOver)
        database.takesOver = false
        yield* TestClock.adjust("5 seconds")
        assert.isFalse(yield* takesOver)
      })
    )
  )

  it.effect("A process that last renewed its lease long ago takes nothing over, although it may still send", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        database.takesOver = true
        yield* TestClock.adjust(0)
        database.respond = Effect.never
        yield* TestClock.adjust("15 seconds")
        assert.isTrue(yield* takesOver)
        yield* TestClock.adjust("1 milli")
        assert.isFalse(yield* takesOver)
        assert.strictEqual(yield* current, first)
      })
    )
  )

  it.effect("A process learns when it may claim, and again when it may take over", () =>
    withDatabase((database) =>
      Effect.gen(function* () {
        const { gained } = yield* ProcessLease
        yield* TestClock.adjust(0)
        yield* gained
        const next = yield* Effect.forkChild(gained)
        yield* TestClock.adjust("29 seconds")
        assert.isUndefined(next.pollUnsafe())
        database.takesOver = true
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(next)
      })
    )
  )
})
