import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Redacted, Ref } from "effect"
import { TestClock } from "effect/testing"
import { livePlatforms } from "../../src/domain/plain/platforms.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { callTimeout } from "../../src/platforms/call.ts"
import { PlatformTrial, type TrialReport } from "../../src/platforms/PlatformTrial.ts"
import { encodeTokens, requestedScope } from "../../src/platforms/twitter/tokens.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { Log, capturedTelemetryLayer } from "../support/telemetry/capturedTelemetry.ts"
import { baseUrl, connected, statusFault, world } from "./world.ts"

const trialWorld = Layer.unwrap(
  Effect.map(Sandbox, (sandbox) => PlatformTrial.layer(sandbox.platforms(baseUrl), Duration.zero))
).pipe(Layer.provideMerge(world()))

const trialOf = Effect.fnUntraced(function* (platform: LivePlatform) {
  const setup = yield* connected(platform)
  const { run } = yield* PlatformTrial
  const taken = Effect.map(setup.sandbox.accepted, (accepted) => accepted[platform])
  return { ...setup, trial: run(platform, setup.account), taken }
})

const x = trialOf("twitter")

const flawless: TrialReport = {
  reply: "taken",
  reason: null,
  repeated: 0,
  read: "found",
  readReason: null,
  missingScopes: [],
  left: []
}

describe("A trial of a platform", () => {
  it.effect.each(livePlatforms)("posts a text and a reply to it on %s, reads it, and leaves neither", (platform) =>
    Effect.gen(function* () {
      const { posts, taken, trial } = yield* trialOf(platform)
      assert.deepStrictEqual(yield* trial, flawless)
      assert.deepStrictEqual([yield* taken, yield* posts], [2, []])
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect.each(livePlatforms)("says which post could not be deleted on %s", (platform) =>
    Effect.gen(function* () {
      const { injectFault, posts, trial } = yield* trialOf(platform)
      yield* injectFault(statusFault(503), "delete", 2)
      const { left } = yield* trial
      assert.lengthOf(yield* posts, 2)
      assert.lengthOf(left, 2)
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("looks again while X does not show the post, and says so if it never does", () =>
    Effect.gen(function* () {
      const { injectFault, trial } = yield* x
      yield* injectFault({ kind: "lag", ms: 60_000 }, "timeline", 12)
      assert.deepStrictEqual(yield* trial, flawless)
      yield* TestClock.adjust("1 second")
      yield* injectFault({ kind: "lag", ms: 60_000 }, "timeline", 13)
      assert.deepStrictEqual(yield* trial, { ...flawless, read: "missing" })
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect.each(livePlatforms)("says why %s could not be read, and deletes the posts all the same", (platform) =>
    Effect.gen(function* () {
      const { injectFault, posts, trial } = yield* trialOf(platform)
      yield* injectFault(statusFault(403, { detail: "Not for you" }), "timeline")
      const { read, readReason } = yield* trial
      assert.strictEqual(read, "unknown")
      assert.include(readReason, "Not for you")
      assert.isEmpty(yield* posts)
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("lists the scopes that an account on X does not allow", () =>
    Effect.gen(function* () {
      const { stored, trial } = yield* x
      const allow = (scope?: string) =>
        Ref.update(stored, (credentials) => {
          const { accessToken, refreshToken } = JSON.parse(Redacted.value(credentials))
          return encodeTokens({ accessToken, refreshToken, ...(scope === undefined ? {} : { scope }) })
        }).pipe(Effect.andThen(TestClock.adjust("1 second")))
      yield* allow("tweet.read tweet.write users.read")
      assert.deepStrictEqual((yield* trial).missingScopes, ["media.write", "offline.access"])
      yield* allow()
      assert.deepStrictEqual((yield* trial).missingScopes, ["media.write"])
      yield* allow(`${requestedScope} follows.read`)
      assert.deepStrictEqual((yield* trial).missingScopes, [])
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("says that X refuses the reply, and why, and leaves nothing", () =>
    Effect.gen(function* () {
      const { injectFault, posts, taken, trial } = yield* x
      yield* injectFault({ kind: "no_replies" }, "reply")
      const { reason, reply } = yield* trial
      assert.strictEqual(reply, "refused")
      assert.include(reason, "X does not let this application reply")
      assert.deepStrictEqual([yield* taken, yield* posts], [1, []])
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("sends the reply again while X does not show the first post", () =>
    Effect.gen(function* () {
      const { injectFault, posts, taken, trial } = yield* x
      yield* injectFault(statusFault(403, { detail: "It is deleted or not visible to you." }), "reply", 12)
      assert.deepStrictEqual(yield* trial, { ...flawless, repeated: 12 })
      assert.deepStrictEqual([yield* taken, yield* posts], [2, []])
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("gives up where X does not show the first post for a minute", () =>
    Effect.gen(function* () {
      const { injectFault, posts, trial } = yield* x
      yield* injectFault({ kind: "unseen", ms: 60_000 })
      const { reason, repeated, reply } = yield* trial
      assert.deepStrictEqual([reply, repeated], ["refused", 12])
      assert.include(reason, "does not show the part before this one yet")
      assert.isEmpty(yield* posts)
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect.each(livePlatforms)("finds a post whose answer from %s was lost, and deletes it", (platform) =>
    Effect.gen(function* () {
      const { injectFault, posts, taken, trial } = yield* trialOf(platform)
      yield* injectFault(statusFault(500, { when: "after_commit" }))
      assert.deepStrictEqual(yield* trial, flawless)
      assert.deepStrictEqual([yield* taken, yield* posts], [2, []])
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("says that the outcome of the reply is unknown if X neither answers nor shows it", () =>
    Effect.gen(function* () {
      const { injectFault, posts, trial } = yield* x
      yield* injectFault(statusFault(500), "reply")
      const { left, reply } = yield* trial
      assert.deepStrictEqual([reply, left, yield* posts], ["unknown", [], []])
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("warns that a post may be there if X neither answers nor shows the first one", () =>
    Effect.gen(function* () {
      const { injectFault, trial } = yield* x
      yield* injectFault(statusFault(500))
      assert.strictEqual((yield* Effect.flip(trial))._tag, "OutcomeUnknown")
      assert.include(JSON.stringify(yield* Log), "A post of the trial may be on the account")
    }).pipe(Effect.provide(Layer.mergeAll(trialWorld, Layer.fresh(capturedTelemetryLayer))))
  )

  it.effect("deletes the reply before what it replies to, and says which of them is left", () =>
    Effect.gen(function* () {
      const { injectFault, posts, trial } = yield* x
      yield* injectFault(statusFault(503), "delete")
      const { left } = yield* trial
      assert.deepStrictEqual(
        (yield* posts).map(({ id, text }) => [text.includes("2 of 2"), left[0]?.endsWith(`/${id}`)]),
        [[true, true]]
      )
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("fails where the first post does not go out, and sends no reply", () =>
    Effect.gen(function* () {
      const { injectFault, taken, trial } = yield* x
      yield* injectFault(statusFault(402))
      assert.strictEqual((yield* Effect.flip(trial))._tag, "ApplicationRefused")
      assert.strictEqual(yield* taken, 0)
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("awaits a reply that is under way when it is interrupted, and deletes both posts", () =>
    Effect.gen(function* () {
      const { injectFault, posts, sandbox, taken, trial } = yield* x
      yield* injectFault({ kind: "hang", when: "after_commit" }, "reply")
      const running = yield* Effect.forkChild(trial)
      yield* sandbox.faults.met
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(running), { startImmediately: true })
      yield* TestClock.adjust(callTimeout)
      yield* Fiber.join(interrupting)
      assert.strictEqual(yield* taken, 2)
      assert.lengthOf(yield* posts, 1)
      assert.include(JSON.stringify(yield* Log), "A post of the trial may be on the account")
    }).pipe(Effect.provide(Layer.mergeAll(trialWorld, Layer.fresh(capturedTelemetryLayer))))
  )

  it.effect("warns of what it could not delete when it is interrupted", () =>
    Effect.gen(function* () {
      const { injectFault, posts, sandbox, trial } = yield* x
      yield* injectFault({ kind: "lag", ms: 60_000 }, "timeline", 12)
      yield* injectFault(statusFault(503), "delete", 2)
      const running = yield* Effect.forkChild(trial)
      yield* sandbox.faults.met
      yield* Fiber.interrupt(running)
      const left = yield* posts
      assert.isNotEmpty(left)
      const warnings = JSON.stringify(yield* Log)
      for (const { id } of left) assert.include(warnings, `/status/${id}`)
    }).pipe(Effect.provide(Layer.mergeAll(trialWorld, Layer.fresh(capturedTelemetryLayer))))
  )
})
