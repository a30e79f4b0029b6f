import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber, Layer, Random, Ref } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import type { TargetId } from "../../src/domain/ids.ts"
import { Accepted, Preparing } from "../../src/domain/publishing/platformError.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { publishTarget } from "../../src/publishing/publishTarget.ts"
import { Sends } from "../../src/publishing/Sends.ts"
import { Settlements } from "../../src/publishing/Settlements.ts"
import type { Claim, SettledPost } from "../../src/repo/targets/Targets.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { Log, capturedTelemetryLayer } from "../support/telemetry/capturedTelemetry.ts"
import { claimed, currentLease, perhapsPublished, settled } from "./claimed.ts"
import { scriptedSend } from "./scriptedSend.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

type Step = "prepare" | "beginSend" | "publish" | "reconcile" | "none"

const databaseUnavailable = new DatabaseUnavailable({ operation: "a test", cause: "unavailable" })

const accepted = new Accepted({ message: "It is being processed", askAfter: Duration.minutes(1) })
const preparing = new Preparing({ message: "It is being made", begun: "it", askAfter: Duration.minutes(1) })

/** The target of all claims in these tests. */
const { targetId } = claimed()

/** The steps of an attempt that hangs at `step`, in order. */
const stepsUntil = (step: Step): ReadonlyArray<Step> => {
  if (step === "reconcile") return ["reconcile"]
  const steps: ReadonlyArray<Step> = ["prepare", "beginSend", "publish"]
  return step === "none" ? steps : steps.slice(0, steps.indexOf(step) + 1)
}

/** Forks publishTarget, which hangs at `step`. `writes` lists its attempts to end the claim, with the target. */
const publishUntil = Effect.fn(function* (
  step: Step,
  claim: Claim,
  database: Effect.Effect<void, DatabaseUnavailable>,
  {
    hang = Effect.never,
    isLost = false,
    processing
  }: {
    readonly hang?: Effect.Effect<never>
    readonly isLost?: boolean
    /** The platform's state of the post. */
    readonly processing?: Accepted | Preparing
  } = {}
) {
  const reached = yield* Deferred.make<void>()
  const writes = yield* Ref.make<ReadonlyArray<readonly [end: string, target: TargetId]>>([])
  const write = (end: string, target: TargetId) =>
    Effect.andThen(
      Ref.update(writes, (all) => [...all, [end, target] as const]),
      database
    )
  const steps = stepsUntil(step)
  const hangAt = (name: Step) => {
    if (name === step) return Effect.andThen(Deferred.succeed(reached, undefined), hang)
    return steps.includes(name) ? Effect.void : Effect.die(`An attempt that hangs in ${step} reached ${name}`)
  }
  const publication = { platformPostId: "1", url: null }
  const adapter: PlatformAdapter = {
    maxReconcileAttempts: 3,
    renew: () => Effect.die("Unexpected renewal"),
    prepare: ({ text }) =>
      processing?._tag === "Preparing" ? Effect.fail(processing) : Effect.as(hangAt("prepare"), text),
    ...scriptedSend(() =>
      processing?._tag === "Accepted" ? Effect.fail(processing) : Effect.as(hangAt("publish"), publication)
    ),
    reconcile: () => Effect.as(hangAt("reconcile"), publication),
    find: () => Effect.die("Unexpected find")
  }
  const settledPost: SettledPost = { ...claim, status: "publishing", content: claim.text, targets: [] }
  const abandoned = yield* Ref.make(0)
  const repo = fakeRepo({
    targets: {
      beginSend: () => Effect.as(hangAt("beginSend"), undefined),
      release: (released) => write("released", released.targetId),
      withdraw: (withdrawn) => write("withdrawn", withdrawn.targetId),
      abandon: () => Ref.update(abandoned, (count) => count + 1),
      probeSettling: databaseUnavailable,
      settleAll: (batch) =>
        Effect.forEach(batch, ({ claim: ended, settlement }) =>
          write("error" in settlement ? settlement.error.code : settlement._tag.toLowerCase(), ended.targetId)
        ).pipe(
          Effect.as(
            isLost ? { posts: [], lost: batch.map(({ claim: lost }) => lost) } : { posts: [settledPost], lost: [] }
          )
        )
    }
  })
  const world = Layer.mergeAll(
    repo,
    currentLease,
    Layer.succeed(
      PlatformClient,
      perPlatform(() => adapter)
    ),
    Layer.mock(Notifier, { postsSettled: () => Effect.void })
  )
  const fiber = yield* Effect.forkChild(
    Effect.provide(
      publishTarget(claim),
      Sends.layer.pipe(Layer.provideMerge(Settlements.layer), Layer.provideMerge(world))
    )
  )
  return { fiber, reached: Deferred.await(reached), writes: Ref.get(writes), abandoned: Ref.get(abandoned) }
})

const warnings = Effect.map(Log, (log) => log.filter(({ level }) => level === "Warn").map(({ message }) => message))

describe("publishTarget", () => {
  it.effect.each([
    ["prepare", "released"],
    ["beginSend", "released"],
    ["publish", "outcome_unknown"]
  ] as const)("An attempt that is interrupted in %s ends its claim as %s", ([step, end]) =>
    Effect.gen(function* () {
      const { fiber, reached, writes } = yield* publishUntil(step, claimed(), Effect.void)
      yield* reached
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* writes, [[end, targetId]])
      assert.deepStrictEqual(
        yield* warnings,
        end === "released" ? [] : ["The twitter target will be retried: outcome_unknown"]
      )
    }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )

  it.effect("A target that was claimed ahead of its time is attempted at that time", () =>
    Effect.gen(function* () {
      const claim = claimed({ dueFrom: 80, dueSince: DateTime.makeUnsafe(80) })
      const { fiber, writes } = yield* publishUntil("none", claim, Effect.void)
      yield* TestClock.adjust("79 millis")
      assert.deepStrictEqual(yield* writes, [])
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* writes, [["published", targetId]])
    }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )

  it.effect("A target that is due by the database's clock is not early by a slow one", () =>
    Effect.gen(function* () {
      const { fiber } = yield* publishUntil("none", claimed({ dueSince: DateTime.makeUnsafe(80) }), Effect.void)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        (yield* Log).flatMap(({ annotations }) => annotations["lateness_seconds"] ?? []),
        [0]
      )
    }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )

  it.effect("A target that waits for its time when the service stops is released, and nothing of it is prepared", () =>
    Effect.gen(function* () {
      const { fiber, writes } = yield* publishUntil("none", claimed({ dueFrom: 80 }), Effect.void)
      yield* TestClock.adjust("79 millis")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* writes, [["released", targetId]])
    }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )

  it.effect("An attempt that is interrupted in reconcile ends its claim as outcome_unknown", () =>
    Effect.gen(function* () {
      const { fiber, reached, writes } = yield* publishUntil("reconcile", claimed(perhapsPublished), Effect.void)
      yield* reached
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* writes, [["outcome_unknown", targetId]])
    })
  )

  it.effect.each([
    ["beginSend", ["unavailable", "withdrawn"]],
    ["none", ["published"]]
  ] as const)("A lost claim withdraws its intent to send only where nothing was sent (%s: %j)", ([step, ends]) =>
    Effect.gen(function* () {
      const options = { hang: Effect.die("A mistake"), isLost: true }
      const { fiber, writes } = yield* publishUntil(step, claimed(), Effect.void, options)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        yield* writes,
        ends.map((end) => [end, targetId] as const)
      )
    }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )

  it.effect.each([
    ["took the post", accepted, ["taken"]],
    ["makes something of the post", preparing, ["making", "withdrawn"]]
  ] as const)(
    "A lost claim withdraws its intent to send unless the platform took the post (it %s)",
    ([, processing, ends]) =>
      Effect.gen(function* () {
        const { fiber, writes } = yield* publishUntil("none", claimed(), Effect.void, { isLost: true, processing })
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(
          yield* writes,
          ends.map((end) => [end, targetId] as const)
        )
      }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )

  it.effect.each([
    ["took the post is abandoned, and the post never sent again by itself", accepted, ["taken"]],
    ["makes something of the post is tried again later", preparing, ["making", "unavailable"]]
  ] as const)("A claim that can't be settled while its platform %s", ([, processing, ends]) =>
    Effect.gen(function* () {
      const database = Effect.die("A row can't be written")
      const { abandoned, fiber, writes } = yield* publishUntil("none", claimed(), database, { processing })
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        yield* writes,
        ends.map((end) => [end, targetId] as const)
      )
      assert.strictEqual(yield* abandoned, 1)
    }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )

  it.effect("An attempt that is interrupted while it sends leaves its intent in place although its claim is lost", () =>
    Effect.gen(function* () {
      const { fiber, reached, writes } = yield* publishUntil("publish", claimed(), Effect.void, { isLost: true })
      yield* reached
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* writes, [["outcome_unknown", targetId]])
    }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )

  it.effect.each([
    ["prepare", "released"],
    ["publish", "outcome_unknown"]
  ] as const)(
    "If the database is unavailable, an attempt that is interrupted in %s tries to end its claim once and logs the abandoned claim",
    ([step, end]) =>
      Effect.gen(function* () {
        const { fiber, reached, writes } = yield* publishUntil(step, claimed(), databaseUnavailable)
        yield* reached
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* writes, [[end, targetId]])
        assert.deepStrictEqual(yield* warnings, ["A claim is abandoned for want of the database"])
      }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )

  it.effect("A post is settled as published if the interruption comes after the platform's response", () =>
    Effect.gen(function* () {
      // The jitter is drawn between the response and the settlement.
      const interrupting = {
        nextIntUnsafe: () => 0,
        nextDoubleUnsafe: () => {
          publishing.fiber.interruptUnsafe()
          return 0.5
        }
      }
      const publishing = yield* Effect.provideService(
        publishUntil("none", claimed(), Effect.void),
        Random.Random,
        interrupting
      )
      yield* Fiber.await(publishing.fiber)
      assert.deepStrictEqual(yield* publishing.writes, [["published", targetId]])
    })
  )

  it.effect(
    "An interruption while a settlement waits for the database takes effect at once, and the claim is not released",
    () =>
      Effect.gen(function* () {
        const { fiber, writes } = yield* publishUntil("none", claimed(), databaseUnavailable)
        yield* settled
        yield* TestClock.adjust("2 seconds")
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(
          yield* writes,
          Array.from({ length: 3 }, () => ["published", targetId] as const)
        )
        assert.deepStrictEqual(yield* warnings, [])
      }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )

  it.effect(
    "A settlement is retried for ten minutes while the database is unavailable, and then the claim is abandoned",
    () =>
      Effect.gen(function* () {
        const { fiber, writes } = yield* publishUntil("none", claimed(), databaseUnavailable)
        yield* settled
        yield* TestClock.adjust("10 minutes")
        yield* Fiber.join(fiber)
        assert.lengthOf(yield* writes, 601)
        assert.deepStrictEqual(yield* warnings, ["A claim is abandoned for want of the database"])
      }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )

  it.effect("A claim whose settlement fails unexpectedly is abandoned, and not left to its lease", () =>
    Effect.gen(function* () {
      const { abandoned, fiber, writes } = yield* publishUntil("none", claimed(), Effect.die("A row can't be written"))
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* writes, [["published", targetId]])
      assert.strictEqual(yield* abandoned, 1)
      const errors = (yield* Log).filter(({ level }) => level === "Error").map(({ message }) => message)
      assert.deepStrictEqual(errors, ["A claim could not be ended and is abandoned"])
    }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )

  it.effect("An attempt that fails unexpectedly before it sends anything is tried again later", () =>
    Effect.gen(function* () {
      const { fiber, writes } = yield* publishUntil("beginSend", claimed(), Effect.void, {
        hang: Effect.die("A mistake")
      })
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* writes, [["unavailable", targetId]])
    }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )
})
