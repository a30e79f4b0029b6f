import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Logger, Option } from "effect"
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
  renewals: number
  ends: number
}

/** Runs a test with the lease of a process whose connection for settlements is opened as `open` says. */
const withDatabase = <A, E>(test: (database: Database) => Effect.Effect<A, E, ProcessLease | MeansToSettle>) =>
  Effect.suspend(() => {
    const database: Database = { open: Effect.void, renewals: 0, ends: 0 }
    const repo = fakeRepo({
      targets: { openSettling: Effect.suspend(() => database.open) },
      processes: {
        renew: () =>
          Effect.sync(() => {
            database.renewals++
            return id
          }),
        end: () => Effect.sync(() => void database.ends++)
      }
    })
    const layer = Layer.fresh(ProcessLease.layer).pipe(Layer.provide([repo, Logger.layer([])]))
    return Effect.provide(test(database), layer)
  })

const right = Effect.flatMap(ProcessLease, (lease) => lease.right)
const current = Effect.flatMap(ProcessLease, (lease) => lease.current)

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
