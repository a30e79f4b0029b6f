import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, type Option, Redacted, Ref, Result } from "effect"
import type { Json } from "effect/Schema"
import { TestClock } from "effect/testing"
import { hasThreads, livePlatforms, needsFiles } from "../../src/domain/plain/platforms.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import {
  Accepted,
  Dropped,
  OutcomeUnknown,
  Preparing,
  type Publication
} from "../../src/domain/publishing/platformError.ts"
import { callTimeout } from "../../src/platforms/call.ts"
import { live } from "../../src/platforms/live.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { PlatformTrial, type TrialReport } from "../../src/platforms/PlatformTrial.ts"
import { encodeTokens, requestedScope } from "../../src/platforms/twitter/tokens.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { Log, capturedTelemetryLayer } from "../support/telemetry/capturedTelemetry.ts"
import { settled } from "../publishing/claimed.ts"
import { scriptedSend } from "../publishing/scriptedSend.ts"
import { baseUrl, connected, statusFault, storedAccount, world } from "./world.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

/** Threads prepares a post for seconds, and a trial without texts publishes nothing: both have tests of their own. */
const prompt = livePlatforms.filter((platform) => platform !== "threads" && !needsFiles(platform))

const trialWorld = Layer.unwrap(
  Effect.map(Sandbox, (sandbox) => PlatformTrial.layer(sandbox.platforms(baseUrl), Duration.zero))
).pipe(Layer.provideMerge(world()))

const trialOf = Effect.fnUntraced(function* (platform: LivePlatform) {
  const setup = yield* connected(platform)
  const { run } = yield* PlatformTrial
  const taken = Effect.map(setup.sandbox.accepted, (accepted) => accepted[platform])
  return { ...setup, trial: run(platform, setup.account), taken }
})

/** A member's posts on LinkedIn can't be read. */
const readable = prompt.filter((platform) => platform !== "linkedin")

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
  it.effect.each(prompt)(
    "posts a text and a reply to it on %s, reads it, and leaves neither, as far as the platform has them",
    (platform) =>
      Effect.gen(function* () {
        const { posts, taken, trial } = yield* trialOf(platform)
        if (!hasThreads(platform)) {
          const read = readable.some((each) => each === platform) ? "found" : "none"
          assert.deepStrictEqual(yield* trial, { ...flawless, reply: "none", read })
          assert.deepStrictEqual([yield* taken, yield* posts], [1, []])
          return
        }
        assert.deepStrictEqual(yield* trial, flawless)
        assert.deepStrictEqual([yield* taken, yield* posts], [2, []])
      }).pipe(Effect.provide(trialWorld))
  )

  it.effect.each(prompt)("says which post could not be deleted on %s", (platform) =>
    Effect.gen(function* () {
      const { injectFault, posts, trial } = yield* trialOf(platform)
      yield* injectFault(statusFault(503), "delete", 2)
      const { left } = yield* trial
      const count = hasThreads(platform) ? 2 : 1
      assert.lengthOf(yield* posts, count)
      assert.lengthOf(left, count)
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

  it.effect.each(readable)("says why %s could not be read, and deletes the posts all the same", (platform) =>
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

  it.effect.each(readable)("finds a post whose answer from %s was lost, and deletes it", (platform) =>
    Effect.gen(function* () {
      const { injectFault, posts, taken, trial } = yield* trialOf(platform)
      yield* injectFault(statusFault(500, { when: "after_commit" }))
      const [reply, count] = hasThreads(platform) ? (["taken", 2] as const) : (["none", 1] as const)
      assert.deepStrictEqual(yield* trial, { ...flawless, reply })
      assert.deepStrictEqual([yield* taken, yield* posts], [count, []])
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
      assert.include(JSON.stringify(yield* Log), "A trial post may be on the account")
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
      assert.include(JSON.stringify(yield* Log), "A trial post may be on the account")
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

const minute = Duration.minutes(1)
const out = (id: string): Publication => ({ platformPostId: id, url: `https://platform.test/${id}` })
const accepted = Effect.fail(new Accepted({ message: "It is being processed", askAfter: minute }))
const preparing = (begun: Json) => Effect.fail(new Preparing({ message: "It is being made", begun, askAfter: minute }))
const mayBeThere = "A trial post may be on the account"

/** The results of the next calls of a platform that takes its time. Each is used once, and then posts are published and found. */
interface Results {
  readonly prepare?: ReadonlyArray<Effect.Effect<never, Preparing>>
  readonly send?: ReadonlyArray<Effect.Effect<Publication, Accepted | OutcomeUnknown>>
  readonly reconcile?: ReadonlyArray<Effect.Effect<Publication, Accepted | Dropped | OutcomeUnknown>>
  readonly find?: Effect.Effect<Option.Option<Publication>>
  readonly findAddress?: Effect.Effect<Option.Option<Publication>>
}

/** Begins a trial on a platform that takes its time. Returns its fiber, what was asked of the platform, and what was deleted. */
const slowTrial = Effect.fnUntraced(function* ({
  find = Effect.succeedSome(out("found")),
  findAddress = Effect.succeedNone,
  ...results
}: Results) {
  const [prepares, sends, reconciles] = [
    [...(results.prepare ?? [])],
    [...(results.send ?? [])],
    [...(results.reconcile ?? [])]
  ]
  const calls: Array<string> = []
  const removed: Array<string | null> = []
  const adapter: PlatformAdapter = {
    maxReconcileAttempts: 3,
    renew: () => Effect.die("Unexpected renewal"),
    prepare: ({ begun = null, text }) =>
      Effect.suspend(() => {
        calls.push(`prepare from ${JSON.stringify(begun)}`)
        return prepares.shift() ?? Effect.succeed(text)
      }),
    ...scriptedSend(() =>
      Effect.suspend(() => {
        calls.push("send")
        return sends.shift() ?? Effect.succeed(out("sent"))
      })
    ),
    reconcile: () =>
      Effect.suspend(() => {
        calls.push("reconcile")
        return reconciles.shift() ?? Effect.succeed(out("processed"))
      }),
    find: () =>
      Effect.suspend(() => {
        calls.push("find")
        return find
      }),
    findAddress: () => findAddress
  }
  const makeTrial = () => ({
    seenBy: "Nobody",
    price: null,
    missingScopes: () => Effect.succeed([]),
    remove: ({ platformPostId }: Publication) =>
      Effect.sync(() => {
        removed.push(platformPostId)
        return true
      })
  })
  const nowhere = { ...live.twitter.connectStandIn("http://127.0.0.1:9", "https://platform.test"), makeTrial }
  const trials = PlatformTrial.layer(
    perPlatform(() => nowhere),
    Duration.zero
  ).pipe(
    Layer.provide(
      Layer.succeed(
        PlatformClient,
        perPlatform(() => adapter)
      )
    )
  )
  const { run } = yield* Effect.provide(PlatformTrial, trials)
  const { account } = yield* storedAccount({
    accountId: "1",
    username: "team",
    displayName: null,
    avatarUrl: null,
    serviceUrl: null,
    credentials: encodeTokens({ accessToken: "token", refreshToken: null })
  })
  const running = yield* Effect.forkChild(Effect.result(run("twitter", account)))
  yield* settled
  return { running, calls, removed }
})

describe("A trial of a platform that takes its time", () => {
  const slow = Layer.fresh(capturedTelemetryLayer)

  it.effect("waits while it makes something of a post, and sends the post from that", () =>
    Effect.gen(function* () {
      const { calls, running } = yield* slowTrial({ prepare: [preparing("first"), preparing("second")] })
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(calls, ["prepare from null"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(calls, ["prepare from null", 'prepare from "first"'])
      yield* TestClock.adjust(minute)
      assert.deepStrictEqual(yield* Fiber.join(running), Result.succeed(flawless))
      assert.deepStrictEqual(calls.slice(2), ['prepare from "second"', "send", "prepare from null", "send", "find"])
    }).pipe(Effect.provide(slow))
  )

  it.effect("waits for that no longer than ten minutes, and then nothing is out", () =>
    Effect.gen(function* () {
      const prepare = Array.from({ length: 20 }, () => preparing("it"))
      const { calls, running } = yield* slowTrial({ prepare })
      yield* Effect.repeat(TestClock.adjust(minute), { times: 9 })
      const ended = yield* Fiber.join(running)
      assert.deepInclude(Result.isFailure(ended) ? ended.failure : undefined, {
        _tag: "Unavailable",
        message: "The platform is still processing it after 10m"
      })
      assert.notInclude(calls, "send")
      assert.notInclude(JSON.stringify(yield* Log), mayBeThere)
    }).pipe(Effect.provide(slow))
  )

  it.effect("waits until a post that the platform took is out, replies to it, and deletes both", () =>
    Effect.gen(function* () {
      const { calls, removed, running } = yield* slowTrial({ send: [accepted], reconcile: [accepted] })
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(calls, ["prepare from null", "send"])
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(calls.slice(2), ["reconcile"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(running), Result.succeed(flawless))
      assert.deepStrictEqual(calls.slice(3), ["reconcile", "prepare from null", "send", "find"])
      assert.deepStrictEqual(removed, ["sent", "processed"])
    }).pipe(Effect.provide(slow))
  )

  it.effect("asks for the id of a post that is out, without which it can neither reply nor delete", () =>
    Effect.gen(function* () {
      const unnamed = Effect.succeed({ platformPostId: null, url: null, addressFollows: true })
      const named = yield* slowTrial({ send: [unnamed], findAddress: Effect.succeedSome(out("named")) })
      assert.deepStrictEqual(yield* Fiber.join(named.running), Result.succeed(flawless))
      assert.deepStrictEqual(named.removed, ["sent", "named"])
      const never = yield* slowTrial({ send: [unnamed] })
      assert.isTrue(Result.isFailure(yield* Fiber.join(never.running)))
      assert.deepStrictEqual(never.removed, [])
      assert.include(JSON.stringify(yield* Log), "whose address is not known")
    }).pipe(Effect.provide(slow))
  )

  it.effect("says that the platform dropped the post or the reply, of which nothing is left", () =>
    Effect.gen(function* () {
      const reconcile = [Effect.fail(new Dropped({ message: "It is too dark" }))]
      const first = yield* slowTrial({ send: [accepted], reconcile })
      yield* TestClock.adjust(minute)
      const ended = yield* Fiber.join(first.running)
      assert.deepInclude(Result.isFailure(ended) ? ended.failure : undefined, {
        _tag: "Rejected",
        message: "It is too dark"
      })
      assert.isEmpty(first.removed)
      const second = yield* slowTrial({ send: [Effect.succeed(out("sent")), accepted], reconcile })
      yield* TestClock.adjust(minute)
      assert.deepStrictEqual(
        yield* Fiber.join(second.running),
        Result.succeed({ ...flawless, reply: "refused", reason: "It is too dark" } as const)
      )
      assert.deepStrictEqual(second.removed, ["sent"])
      assert.notInclude(JSON.stringify(yield* Log), mayBeThere)
    }).pipe(Effect.provide(slow))
  )

  it.effect.each([
    ["is processed for longer than ten minutes", Array.from({ length: 20 }, () => accepted)],
    ["the platform can't tell of", [Effect.fail(new OutcomeUnknown({ message: "It can't tell" }))]]
  ] as const)("looks for a post that %s, and warns of it where it is not found", ([, reconcile]) =>
    Effect.gen(function* () {
      const found = yield* slowTrial({ send: [accepted], reconcile })
      yield* Effect.repeat(TestClock.adjust(minute), { times: 9 })
      assert.deepStrictEqual(yield* Fiber.join(found.running), Result.succeed(flawless))
      assert.deepStrictEqual(found.removed, ["sent", "found"])
      assert.notInclude(JSON.stringify(yield* Log), mayBeThere)
      const missing = yield* slowTrial({ send: [accepted], reconcile, find: Effect.succeedNone })
      yield* Effect.repeat(TestClock.adjust(minute), { times: 9 })
      assert.isTrue(Result.isFailure(yield* Fiber.join(missing.running)))
      assert.deepStrictEqual([missing.removed, missing.calls.filter((call) => call === "send")], [[], ["send"]])
      assert.include(JSON.stringify(yield* Log), mayBeThere)
    }).pipe(Effect.provide(slow))
  )

  it.effect("warns of a post that is processed when it is interrupted", () =>
    Effect.gen(function* () {
      const { removed, running } = yield* slowTrial({ send: [accepted] })
      yield* Fiber.interrupt(running)
      assert.isEmpty(removed)
      assert.include(JSON.stringify(yield* Log), mayBeThere)
    }).pipe(Effect.provide(slow))
  )
})
