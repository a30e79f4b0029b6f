import { Context, DateTime, Effect, FiberSet, Layer, Queue, Ref } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { Notifier } from "../notifier/Notifier.ts"
import type { PlatformClient } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import { publishTarget } from "./publishTarget.ts"
import { initializePublishMetrics } from "./telemetry.ts"
import { drainTimeout, lease } from "./timing.ts"

/** Concurrent attempts of one process. */
const capacity = 32

/** Publishes due targets. */
export class Publisher extends Context.Service<
  Publisher,
  {
    /** Claims due targets up to the free capacity and starts an attempt on each. Returns how many. */
    readonly tick: Effect.Effect<number, DatabaseUnavailable>
    /** Requests a tick. */
    readonly wake: Effect.Effect<void>
    /** Waits until a tick was requested or an attempt has ended and freed capacity. */
    readonly woken: Effect.Effect<void>
    /** Waits until no attempt is in flight. */
    readonly idle: Effect.Effect<void>
    /** Waits up to `drainTimeout` for attempts in flight, and then interrupts the rest. */
    readonly drain: Effect.Effect<void>
    /** When a tick last succeeded; before the first, when the publisher was created. */
    readonly lastTick: Effect.Effect<DateTime.Utc>
  }
>()("social-publisher/publishing/Publisher") {
  /** Drains when its scope closes. */
  static readonly layer = Layer.effect(
    Publisher,
    Effect.gen(function* () {
      const repo = yield* Repo
      const context = yield* Effect.context<Repo | PlatformClient | Notifier>()
      const wakeUps = yield* Queue.sliding<void>(1)
      const wake = Effect.asVoid(Queue.offer(wakeUps, undefined))
      const inFlight = yield* FiberSet.make<void>()
      const idle = FiberSet.awaitEmpty(inFlight)
      const drain = Effect.andThen(Effect.timeoutOption(idle, drainTimeout), FiberSet.clear(inFlight))
      yield* Effect.addFinalizer(() => drain)
      const lastTick = yield* Ref.make(yield* DateTime.now)
      yield* initializePublishMetrics

      const tick = Effect.gen(function* () {
        const free = capacity - (yield* FiberSet.size(inFlight))
        const claims = free > 0 ? yield* repo.targets.claim(free, lease) : []
        for (const claim of claims) {
          yield* FiberSet.run(
            inFlight,
            publishTarget(claim).pipe(Effect.provideContext(context), Effect.ensuring(wake))
          )
        }
        yield* Ref.set(lastTick, yield* DateTime.now)
        return claims.length
      }).pipe(Effect.uninterruptible, Effect.withSpan("Publisher.tick"))

      return Publisher.of({ tick, wake, woken: Queue.take(wakeUps), idle, drain, lastTick: Ref.get(lastTick) })
    })
  )
}
