import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option, Redacted, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import { IntegrationId } from "../../../src/domain/ids.ts"
import type { RenewalLeases } from "../../../src/repo/integrations/renewalLease.ts"
import { makeRenewals } from "../../../src/repo/integrations/renewals.ts"

const id = IntegrationId.make("01a1fc17-0000-7000-8000-000000000001")
const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

interface Waits {
  /** Taking a lease waits for this. */
  readonly take?: Effect.Effect<unknown>
  /** Storing a renewal waits for this. */
  readonly store?: Effect.Effect<unknown>
}

/** The renewals of a process that always gets the lease, on an account with the credentials `old`. */
const setup = (waits: Waits = {}) => {
  let sealed: Uint8Array = bytesOf("old")
  const asked: Array<string> = []
  const { store = Effect.void, take = Effect.void } = waits
  const leases: RenewalLeases = {
    take: () =>
      Effect.as(take, Option.some({ id, until: "later", platform: "twitter", accountId: "account", serviceUrl: null })),
    release: () => Effect.void,
    store: (row) =>
      Effect.map(store, () => {
        sealed = row.sealed
        return "stored" as const
      })
  }
  const renewals = makeRenewals(
    {
      read: () => Effect.sync(() => sealed),
      open: (_id, stored) => Effect.succeed(Redacted.make(textOf(stored))),
      seal: (_id, secret) => Effect.succeed(bytesOf(Redacted.value(secret)))
    },
    leases
  )
  const renew = Effect.sync(() => {
    asked.push("new access")
    return { credentials: Redacted.make("new") }
  })
  return { ...renewals, asked, refresh: renewals.refreshCredentials(id, Redacted.make("old"), renew) }
}

describe("renewals", () => {
  it.effect.each(Array.from({ length: 10 }, (_, index) => index + 3))(
    "Two who ask at once share one renewal if fibers yield after %s steps",
    (steps) =>
      Effect.gen(function* () {
        const { asked, refresh } = setup()
        yield* Effect.all([refresh, refresh], { concurrency: 2 })
        assert.lengthOf(asked, 1)
      }).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, steps))
  )

  it.effect("A process that was suspended while it took the lease takes it again before it asks for access", () =>
    Effect.gen(function* () {
      const suspensions = ["10 seconds", "9 seconds"] as const
      let taken = 0
      const { asked, refresh } = setup({
        take: Effect.suspend(() => {
          const suspension = suspensions[taken++]
          assert.deepStrictEqual(asked, [])
          return suspension === undefined ? Effect.void : TestClock.adjust(suspension)
        })
      })
      assert.strictEqual(Redacted.value(yield* refresh), "new")
      assert.strictEqual(taken, 2)
      assert.lengthOf(asked, 1)
    })
  )

  it.effect("A process that stops waits until the access that it was given is stored, for four seconds at most", () =>
    Effect.gen(function* () {
      const given = yield* Deferred.make<void>()
      const storing = yield* Deferred.make<void>()
      const { awaitStored, refresh } = setup({
        store: Effect.andThen(Deferred.succeed(given, undefined), Deferred.await(storing))
      })
      yield* awaitStored
      const refreshing = yield* Effect.forkChild(refresh)
      yield* Deferred.await(given)
      const slow = yield* Effect.forkChild(awaitStored, { startImmediately: true })
      yield* TestClock.adjust("3999 millis")
      assert.isUndefined(slow.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(slow)
      const quick = yield* Effect.forkChild(awaitStored, { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.isUndefined(quick.pollUnsafe())
      yield* Deferred.succeed(storing, undefined)
      yield* Fiber.join(quick)
      assert.strictEqual(Redacted.value(yield* Fiber.join(refreshing)), "new")
    })
  )
})
