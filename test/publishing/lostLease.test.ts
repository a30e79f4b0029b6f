import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { OutcomeUnknown } from "../../src/domain/publishing/platformError.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { LastCall } from "../../src/platforms/lastCall.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { capturedTelemetryLayer, Log } from "../support/telemetry/capturedTelemetry.ts"
import { claimed } from "./claimed.ts"
import { scriptedPlatform } from "./scriptedPlatform.ts"
import { scriptedSend } from "./scriptedSend.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

const claim = claimed()
const { ownerId } = claim

/** Makes five attempts on one host that end without a response. Returns the host's log entries. */
const attemptWithoutResponse = Effect.fnUntraced(function* (losesLease: boolean) {
  const cutOff = yield* Deferred.make<void>()
  const adapter: PlatformAdapter = {
    maxReconcileAttempts: 3,
    renew: () => Effect.die("Unexpected renewal"),
    prepare: ({ text }) => Effect.succeed(text),
    ...scriptedSend(() =>
      Effect.gen(function* () {
        const last = yield* LastCall
        last.state = "waiting"
        yield* Deferred.await(cutOff)
        return yield* new OutcomeUnknown({ message: "The connection was cut" })
      })
    ),
    reconcile: () => Effect.die("Unexpected reconcile"),
    find: () => Effect.die("Unexpected find")
  }
  let renewals = 0
  const repo = fakeRepo({
    processes: {
      renew: () =>
        losesLease && renewals++ > 0
          ? Effect.never
          : Effect.succeed({ id: ownerId ?? assert.fail(), takesOver: false }),
      end: () => Effect.void
    },
    targets: {
      claim: () => Effect.succeed(Array.from({ length: 5 }, () => claim)),
      beginSend: () => Effect.undefined,
      settle: () => Effect.succeed({ ...claim, status: "publishing", content: claim.text, targets: [] })
    }
  })
  const world = Layer.mergeAll(
    repo,
    Layer.succeed(
      PlatformClient,
      perPlatform(() => adapter)
    ),
    Layer.mock(Notifier, { postsSettled: () => Effect.void })
  )
  yield* Effect.gen(function* () {
    const publisher = yield* Publisher
    yield* TestClock.adjust(0)
    yield* publisher.tick
    yield* TestClock.adjust("21 seconds")
    yield* Deferred.succeed(cutOff, undefined)
    yield* publisher.idle
  }).pipe(Effect.provide(Layer.fresh(Publisher.layer).pipe(Layer.provide(world))))
  return (yield* Log).map(({ message }) => message).filter((message) => message.includes("respond"))
})

describe("A publisher without its lease", () => {
  it.effect("claims nothing while its renewal takes longer than the lease allows for", () =>
    Effect.gen(function* () {
      const repo = fakeRepo({
        processes: {
          renew: () => Effect.delay(Effect.succeed({ id: ownerId ?? assert.fail(), takesOver: false }), "21 seconds"),
          end: () => Effect.void
        }
      })
      const world = Layer.mergeAll(repo, scriptedPlatform, Layer.mock(Notifier, {}))
      const claims = yield* Effect.gen(function* () {
        const ticking = yield* Effect.forkChild((yield* Publisher).tick)
        yield* TestClock.adjust("2 minutes")
        return yield* Fiber.join(ticking)
      }).pipe(Effect.provide(Layer.fresh(Publisher.layer).pipe(Layer.provide(world))))
      assert.strictEqual(claims, 0)
    })
  )

  it.effect.each([
    {
      losesLease: false,
      logged: ["The circuit of twitter is open: it does not respond and gets single attempts only"]
    },
    { losesLease: true, logged: [] }
  ])(
    "does not take calls that it cut off itself for a host that does not respond (losesLease: $losesLease)",
    ({ logged, losesLease }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* attemptWithoutResponse(losesLease), logged)
      }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )
})
