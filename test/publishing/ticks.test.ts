import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Layer, Option, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { ProcessId } from "../../src/domain/ids.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { scheduledFiber } from "../../src/publishing/scheduledFiber.ts"
import type { Targets } from "../../src/repo/targets/Targets.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { capturedTelemetryLayer } from "../support/telemetry/capturedTelemetry.ts"
import { claimed } from "./claimed.ts"
import { scriptedPlatform } from "./scriptedPlatform.ts"

const processId = ProcessId.make("01a1fc17-0000-7000-8000-000000000001")

const worldOf = (targets: Partial<Targets>) =>
  Layer.mergeAll(
    fakeRepo({
      processes: { renew: () => Effect.succeed({ id: processId, takesOver: false }), end: () => Effect.void },
      targets
    }),
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
        // The attempt stays in flight.
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
        // Ends the attempts before the assertion, because a failed test's publisher would wait for them.
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
        nextDue: () => Effect.succeed({ isAnyLeft: false, at: Option.none() }),
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

  it.effect(
    "What this process was ordered to publish and could not claim is looked at, and claimed within a second although nothing tells of it",
    () =>
      Effect.gen(function* () {
        const order = yield* Deferred.make<void>()
        const claims = yield* Queue.unbounded<number>()
        let isOrdered = false
        const world = worldOf({
          claim: () => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.as(Queue.offer(claims, now), [])),
          nextDue: () => Effect.sync(() => ({ isAnyLeft: isOrdered, at: Option.none() })),
          listen: () => Effect.never,
          listenHere: (onWake) => Effect.andThen(Deferred.await(order), Effect.andThen(onWake, Effect.never))
        })
        yield* Effect.gen(function* () {
          yield* TestClock.adjust(400)
          yield* Queue.clear(claims)
          isOrdered = true
          yield* Deferred.succeed(order, undefined)
          yield* Queue.take(claims)
          yield* Queue.take(claims)
          yield* TestClock.adjust("1 second")
          assert.deepStrictEqual(yield* Queue.clear(claims), [1_400])
        }).pipe(
          Effect.provide(
            Layer.fresh(scheduledFiber).pipe(Layer.provide(Layer.fresh(Publisher.layer)), Layer.provide(world))
          )
        )
      }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )

  it.effect("A tick that waits for its turn when the service stops claims nothing", () =>
    Effect.gen(function* () {
      const order = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      const claims = yield* Queue.unbounded<void>()
      const world = worldOf({
        claim: () => Effect.andThen(Queue.offer(claims, undefined), Effect.as(Deferred.await(end), [])),
        listen: () => Effect.never,
        listenHere: (onWake) => Effect.andThen(Deferred.await(order), Effect.andThen(onWake, Effect.never))
      })
      const service = yield* Scope.make()
      yield* Layer.fresh(scheduledFiber).pipe(
        Layer.provide(Layer.fresh(Publisher.layer)),
        Layer.provide(world),
        Layer.buildWithScope(service)
      )
      yield* TestClock.adjust(0)
      yield* Queue.take(claims)
      yield* Deferred.succeed(order, undefined)
      yield* TestClock.adjust(0)
      const stopped = yield* Effect.forkChild(Scope.close(service, Exit.void), { startImmediately: true })
      yield* TestClock.adjust(0)
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(stopped)
      assert.strictEqual(yield* Queue.size(claims), 0)
    }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )
})
