import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../src/platforms/carryOut.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { callTimeout } from "../../src/platforms/call.ts"
import type { Fault } from "../../src/sandbox/state/faults.ts"
import { connected, outcome, statusFault, storedAccount, world } from "./world.ts"

interface Case {
  readonly platform: LivePlatform
  readonly tooLong: number
  readonly hang: Fault
  /** How the platform refuses an access token. */
  readonly refusedToken: Fault
}

const cases: ReadonlyArray<Case> = [
  { platform: "twitter", tooLong: 281, hang: { kind: "hang" }, refusedToken: statusFault(401) },
  {
    platform: "bluesky",
    tooLong: 301,
    hang: { kind: "hang", when: "after_commit" },
    refusedToken: statusFault(400, { error: "ExpiredToken" })
  }
]

describe.each(cases)("The $platform adapter", ({ hang, platform, refusedToken, tooLong }) => {
  it.effect("A text that is too long is rejected before anything is sent", () =>
    Effect.gen(function* () {
      const { prepare } = yield* connected(platform)
      const error = yield* Effect.flip(prepare("a".repeat(tooLong)))
      assert.strictEqual(error._tag, "Rejected")
      assert.include(error.message, String(tooLong))
    }).pipe(Effect.provide(world()))
  )

  it.effect("A send times out after 20 seconds, and its outcome is unknown", () =>
    Effect.gen(function* () {
      const { injectFault, publish, sandbox } = yield* connected(platform)
      yield* injectFault(hang)
      const publishing = yield* Effect.forkChild(outcome(publish("Hello")))
      yield* sandbox.faults.met
      yield* TestClock.adjust(callTimeout)
      assert.strictEqual(yield* Fiber.join(publishing), "OutcomeUnknown")
    }).pipe(Effect.provide(world()))
  )

  it.effect("An account needs reauthorization once the platform refuses to renew its access", () =>
    Effect.gen(function* () {
      const { posts, publish, sandbox } = yield* connected(platform)
      yield* sandbox.revoke(platform)
      assert.strictEqual(yield* outcome(publish("Hello")), "NeedsReauthorization")
      assert.lengthOf(yield* posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("An account needs reauthorization once the platform refuses the renewed token too", () =>
    Effect.gen(function* () {
      const { injectFault, publish } = yield* connected(platform)
      yield* injectFault(refusedToken, "publish", 2)
      assert.strictEqual(yield* outcome(publish("Hello")), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )

  it.effect("An account needs reauthorization if its stored credentials can't be decoded", () =>
    Effect.gen(function* () {
      const { adapter, prepare, sandbox } = yield* connected(platform)
      const { account } = yield* storedAccount({
        ...(yield* sandbox.connect(platform, "acme")),
        credentials: Redacted.make("{}")
      })
      assert.strictEqual(yield* outcome(sendPost(adapter, yield* prepare("Hello"), account)), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )
})
