import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { callTimeout } from "../../src/platforms/call.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { ProcessId } from "../../src/domain/ids.ts"
import { OutcomeUnknown } from "../../src/domain/publishing/platformError.ts"
import { attempt } from "../../src/publishing/attempt.ts"
import { sendTimeout } from "../../src/publishing/timing.ts"
import type { Claim } from "../../src/repo/targets/Targets.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { claimed, currentLease, perhapsPublished, sendsLayer, settled } from "./claimed.ts"
import { scriptedSend } from "./scriptedSend.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

/** Runs an attempt. Returns its failure, if any, and the requests to the platform. */
const runAttempt = Effect.fn("runAttempt")(function* (
  claim: Claim,
  databaseDelay: Duration.Input = 0,
  platformWork: Effect.Effect<void> = Effect.void
) {
  const requests: Array<string> = []
  const request = (name: string) =>
    Effect.gen(function* () {
      requests.push(name)
      yield* platformWork
      return { platformPostId: "1", url: null }
    })
  const adapter: PlatformAdapter = {
    maxReconcileAttempts: 3,
    renew: () => Effect.die("Unexpected renewal"),
    prepare: ({ text }) => Effect.succeed(text),
    ...scriptedSend(() =>
      Effect.timeoutOrElse(request("publish"), {
        duration: callTimeout,
        orElse: () => Effect.fail(new OutcomeUnknown({ message: "No answer" }))
      })
    ),
    reconcile: (_, account) => Effect.andThen(account.credentials.current, request("reconcile")),
    find: () => Effect.die("Unexpected find")
  }
  const world = Layer.mergeAll(
    fakeRepo({
      targets: { beginSend: () => Effect.as(Effect.sleep(databaseDelay), undefined) },
      integrations: { credentials: () => Effect.succeed(Redacted.make("access")) }
    }),
    currentLease,
    Layer.succeed(
      PlatformClient,
      perPlatform(() => adapter)
    )
  )
  const running = yield* attempt(claim).pipe(
    Effect.match({
      onFailure: ({ _tag, message }) => ({ tag: _tag, message }),
      onSuccess: (outcome) =>
        outcome._tag === "Failed" ? { tag: outcome.error._tag, message: outcome.error.message } : undefined
    }),
    Effect.provide(Layer.provideMerge(sendsLayer, world)),
    Effect.forkChild
  )
  yield* settled
  yield* TestClock.adjust(databaseDelay)
  yield* TestClock.adjust(sendTimeout)
  return { failure: yield* Fiber.join(running), requests }
})

describe("attempt", () => {
  const tooLate = Duration.sum(sendTimeout, Duration.seconds(1))

  it.effect("An attempt sends nothing if the database was so slow that another process may hold the claim", () =>
    Effect.gen(function* () {
      const { failure, requests } = yield* runAttempt(claimed(), tooLate)
      assert.deepStrictEqual([failure?.tag, requests], ["DatabaseUnavailable", []])
    })
  )

  it.effect("An attempt sends the post if beginSend returns well before the lease ends", () =>
    Effect.gen(function* () {
      const { failure, requests } = yield* runAttempt(claimed(), "60 seconds")
      assert.deepStrictEqual([failure, requests], [undefined, ["publish"]])
    })
  )

  it.effect("An attempt does not reconcile if another process may hold the claim", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust(tooLate)
      const { failure, requests } = yield* runAttempt(claimed(perhapsPublished))
      assert.deepStrictEqual([failure?.tag, requests], ["DatabaseUnavailable", []])
    })
  )

  it.effect("An attempt sends nothing and does not reconcile once its process goes on under another lease", () =>
    Effect.gen(function* () {
      const ownerId = ProcessId.make("01a1fc17-0000-7000-8000-000000000009")
      const unsent = yield* runAttempt(claimed({ ownerId }))
      assert.deepStrictEqual([unsent.failure?.tag, unsent.requests], ["DatabaseUnavailable", []])
      const sent = yield* runAttempt(claimed({ ...perhapsPublished, ownerId }))
      assert.deepStrictEqual([sent.failure?.tag, sent.requests], ["DatabaseUnavailable", []])
    })
  )

  it.effect("A thirteenth attempt makes no request and fails", () =>
    Effect.gen(function* () {
      const unsent = yield* runAttempt(claimed({ attempts: 13 }))
      assert.deepStrictEqual([unsent.failure?.tag, unsent.requests], ["Unavailable", []])
      const sent = yield* runAttempt(claimed({ ...perhapsPublished, attempts: 13 }))
      assert.deepStrictEqual([sent.failure?.tag, sent.requests], ["OutcomeUnknown", []])
    })
  )

  it.effect("An attempt times out if the platform never responds", () =>
    Effect.gen(function* () {
      const { failure } = yield* runAttempt(claimed(), 0, Effect.never)
      assert.strictEqual(failure?.tag, "OutcomeUnknown")
    })
  )

  it.effect("A disconnected account's error warns of an earlier send that may have been published", () =>
    Effect.gen(function* () {
      const integration = { ...claimed().integration, connected: false }
      const { failure } = yield* runAttempt(claimed({ ...perhapsPublished, integration }))
      assert.strictEqual(failure?.tag, "NeedsReauthorization")
      assert.include(failure?.message, "it may have been published already")
      const unsent = yield* runAttempt(claimed({ integration }))
      assert.notInclude(unsent.failure?.message, "it may have been published already")
    })
  )
})
