import { Context, DateTime, Effect, FiberSet, Layer, Queue, Ref } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { Notifier } from "../notifier/Notifier.ts"
import type { PlatformClient } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import { exposePublishMetrics } from "./metrics.ts"
import { publishTarget } from "./publishTarget.ts"
import { drainTimeout, lease } from "./timing.ts"

/** How many targets a process sends at once. */
const capacity = 32

/** Publishes what is due. */
export class Publisher extends Context.Service<
  Publisher,
  {
    /** Claims due targets, as many as there is room for, and begins to publish them; answers how many. */
    readonly tick: Effect.Effect<number, DatabaseUnavailable>
    /** Asks for a tick. */
    readonly wake: Effect.Effect<void>
    /** Waits until a tick was asked for, or a target has ended and made room. */
    readonly woken: Effect.Effect<void>
    /** Waits until nothing is being sent. */
    readonly idle: Effect.Effect<void>
    /** Waits for what is in flight, for `drainTimeout`, and then interrupts it. */
    readonly drain: Effect.Effect<void>
    /** When a tick last succeeded, or the publisher was made. */
    readonly lastTick: Effect.Effect<DateTime.Utc>
  }
>()("social-publisher/publishing/Publisher") {
  /** Ends by draining. */
  static readonly layer = Layer.effect(
    Publisher,
    Effect.gen(function* () {
      const repo = yield* Repo
      const context = yield* Effect.context<Repo | PlatformClient | Notifier>()
      const calls = yield* Queue.sliding<void>(1)
      const wake = Effect.asVoid(Queue.offer(calls, undefined))
      const inFlight = yield* FiberSet.make<void>()
      const idle = FiberSet.awaitEmpty(inFlight)
      const drain = Effect.andThen(Effect.timeoutOption(idle, drainTimeout), FiberSet.clear(inFlight))
      yield* Effect.addFinalizer(() => drain)
      const lastTick = yield* Ref.make(yield* DateTime.now)
      yield* exposePublishMetrics

      const tick = Effect.gen(function* () {
        const room = capacity - (yield* FiberSet.size(inFlight))
        const claims = room > 0 ? yield* repo.targets.claim(room, lease) : []
        for (const claim of claims) {
          yield* FiberSet.run(
            inFlight,
            publishTarget(claim).pipe(Effect.provideContext(context), Effect.ensuring(wake))
          )
        }
        yield* Ref.set(lastTick, yield* DateTime.now)
        return claims.length
      }).pipe(Effect.uninterruptible, Effect.withSpan("Publisher.tick"))

      return Publisher.of({ tick, wake, woken: Queue.take(calls), idle, drain, lastTick: Ref.get(lastTick) })
    })
  )
}
