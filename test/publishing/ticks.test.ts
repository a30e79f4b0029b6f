import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { ProcessId } from "../../src/domain/ids.ts"
import { planPublish } from "../../src/domain/postPlan.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { scheduledFiber } from "../../src/publishing/scheduledFiber.ts"
import { Repo } from "../../src/repo/Repo.ts"
import type { Targets } from "../../src/repo/targets/Targets.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { capturedTelemetryLayer } from "../support/telemetry/capturedTelemetry.ts"
import { claimed } from "./claimed.ts"
import { Script, scriptedPlatform } from "./scriptedPlatform.ts"

const processId = ProcessId.make("01a1fc17-0000-7000-8000-000000000001")

const worldOf = (targets: Partial<Targets>) =>
  Layer.mergeAll(
    fakeRepo({ processes: { renew: () => Effect.succeed(processId), end: () => Effect.void }, targets }),
    scriptedPlatform,
    Layer.mock(Notifier, { postsSettled: () => Effect.void })
  )

describe("Ticks", () => {
  it.effect("Of two ticks at once the second counts on the slots that the first one left", () =>
    Effect.gen(function* () {
      const proceed = yield* Deferred.make<void>()
      const limits = yield* Queue.unbounded<number>()
      const world = worldOf({
        claim: (limit) => Effect.andThen(Queue.offer(limits, limit), Effect.as(Deferred.await(proceed), [claimed()])),
        // Stays in flight.
        beginSend: () => Effect.never,
        release: () => Effect.void
      })
      yield* Effect.gen(function* () {
        const publisher = yield* Publisher
        yield* TestClock.adjust(0)
        const first = yield* Effect.forkChild(publisher.tick, { startImmediately: true })
        const second = yield* Effect.forkChild(publisher.tick, { startImmediately: true })
        const limit = yield* Queue.take(limits)
        yield* Deferred.succeed(proceed, undefined)
        yield* Fiber.join(first)
        yield* Fiber.join(second)
        const left = yield* Queue.take(limits)
        // Ends the attempts first: their publisher would wait for them when the test fails.
        const draining = yield* Effect.forkChild(publisher.drain)
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(draining)
        assert.strictEqual(left, limit - 1)
      }).pipe(Effect.provide(Layer.fresh(Publisher.layer).pipe(Layer.provide(world))))
    })
  )

  it.effect("What this process was ordered to publish while the database was away is claimed a second later", () =>
    Effect.gen(function* () {
      const order = yield* Deferred.make<void>()
      const claims = yield* Queue.unbounded<void>()
      let isAway = false
      const world = worldOf({
        claim: () =>
          Effect.andThen(
            Queue.offer(claims, undefined),
            Effect.suspend(() =>
              isAway
                ? Effect.fail(new DatabaseUnavailable({ operation: "claiming", cause: "away" }))
                : Effect.succeed([])
            )
          ),
        nextDue: Effect.succeedNone,
        listen: () => Effect.never,
        listenHere: (onWake) => Effect.andThen(Deferred.await(order), Effect.andThen(onWake, Effect.never))
      })
      yield* Effect.gen(function* () {
        yield* TestClock.adjust(0)
        yield* Queue.clear(claims)
        isAway = true
        yield* Deferred.succeed(order, undefined)
        yield* Queue.take(claims)
        yield* TestClock.adjust("999 millis")
        assert.strictEqual(yield* Queue.size(claims), 0)
        isAway = false
        yield* TestClock.adjust("1 millis")
        yield* Queue.take(claims)
      }).pipe(
        Effect.provide(
          Layer.fresh(scheduledFiber).pipe(Layer.provide(Layer.fresh(Publisher.layer)), Layer.provide(world))
        )
      )
    }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )
})

layer(Layer.provideMerge(scriptedPlatform, repoLayer))("The process that takes an order to publish now", (it) => {
  it.effect("It sends the post without the database's notification", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const repo = yield* Repo
      const unheard = Repo.of({ ...repo, targets: { ...repo.targets, listen: () => Effect.never } })
      yield* Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const { id } = yield* repo.posts.create(workspace, plan(null))
        yield* repo.posts.publish(workspace, id, planPublish)
        assert.strictEqual((yield* script.nextCall).call, "publish")
      }).pipe(
        Effect.provide(Layer.provideMerge(scheduledFiber, Layer.fresh(Publisher.layer)), { local: true }),
        Effect.provideService(Repo, unheard)
      )
    })
  )
})
