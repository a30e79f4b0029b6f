import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { publishTarget } from "../../src/publishing/publishTarget.ts"
import type { Claim, SettledPost } from "../../src/repo/targets/targets.ts"
import { fakeRepo } from "../support/fakeRepo.ts"
import { Log, watched } from "../support/telemetry.ts"
import { claimed, perhapsPublished } from "./claimed.ts"

type Step = "prepare" | "beginSend" | "publish" | "reconcile" | "none"

const databaseAway = new DatabaseUnavailable({ operation: "a test", cause: "away" })

/** Publishes a claim in a fiber that hangs at `step`; `writes` says how each claim ended. */
const publishUntil = Effect.fn(function* (
  step: Step,
  claim: Claim,
  database: Effect.Effect<void, DatabaseUnavailable>
) {
  const reached = yield* Deferred.make<void>()
  const writes = yield* Ref.make<ReadonlyArray<string>>([])
  const write = (name: string) =>
    Effect.andThen(
      Ref.update(writes, (all) => [...all, name]),
      database
    )
  const hangAt = (name: Step) =>
    name === step ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never) : Effect.void
  const publication = { platformPostId: "1", url: null }
  const adapter: PlatformAdapter = {
    maxReconcileAttempts: 3,
    prepare: ({ text }) => Effect.as(hangAt("prepare"), text),
    publish: () => Effect.as(hangAt("publish"), publication),
    reconcile: () => Effect.as(hangAt("reconcile"), publication)
  }
  const settled: SettledPost = { ...claim, status: "publishing", content: claim.text, targets: [] }
  const repo = fakeRepo({
    targets: {
      beginSend: () => hangAt("beginSend"),
      release: () => write("released"),
      settle: (_, settlement) =>
        Effect.as(write(settlement._tag === "Published" ? "published" : settlement.error.code), settled)
    }
  })
  const world = Layer.mergeAll(
    repo,
    Layer.succeed(PlatformClient, { twitter: adapter, bluesky: adapter }),
    Layer.mock(Notifier, { postSettled: () => Effect.void })
  )
  const fiber = yield* Effect.forkChild(Effect.provide(publishTarget(claim), world))
  return { fiber, reached: Deferred.await(reached), writes: Ref.get(writes) }
})

const warnings = Effect.map(Log, (log) => log.filter(({ level }) => level === "Warn").map(({ message }) => message))

describe("publishTarget", () => {
  it.effect.each([
    ["prepare", "released"],
    ["beginSend", "released"],
    ["publish", "outcome_unknown"]
  ] as const)("interrupted in %s ends its claim as %s", ([step, end]) =>
    Effect.gen(function* () {
      const { fiber, reached, writes } = yield* publishUntil(step, claimed(), Effect.void)
      yield* reached
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* writes, [end])
    })
  )

  it.effect("interrupted in reconcile ends its claim as outcome_unknown", () =>
    Effect.gen(function* () {
      const { fiber, reached, writes } = yield* publishUntil("reconcile", claimed(perhapsPublished), Effect.void)
      yield* reached
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* writes, ["outcome_unknown"])
    })
  )

  it.effect.each([
    ["prepare", "released"],
    ["publish", "outcome_unknown"]
  ] as const)("interrupted in %s writes that once, and logs it, where the database is away", ([step, end]) =>
    Effect.gen(function* () {
      const { fiber, reached, writes } = yield* publishUntil(step, claimed(), databaseAway)
      yield* reached
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* writes, [end])
      assert.deepStrictEqual(yield* warnings, ["A claim is abandoned until its lease expires"])
    }).pipe(Effect.provide(Layer.fresh(watched)))
  )

  it.effect("interrupted while it waits for the database stops at once, and does not release what it sent", () =>
    Effect.gen(function* () {
      const { fiber, writes } = yield* publishUntil("none", claimed(), databaseAway)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* writes, ["published", "published", "published"])
      assert.deepStrictEqual(yield* warnings, [])
    }).pipe(Effect.provide(Layer.fresh(watched)))
  )

  it.effect("tries to settle for a minute while the database is away, and then leaves the claim to its lease", () =>
    Effect.gen(function* () {
      const { fiber, writes } = yield* publishUntil("none", claimed(), databaseAway)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      assert.lengthOf(yield* writes, 61)
      assert.deepStrictEqual(yield* warnings, ["A claim is abandoned until its lease expires"])
    }).pipe(Effect.provide(Layer.fresh(watched)))
  )
})
