import { Clock, Context, DateTime, Effect, FiberSet, Layer, Option, Random, Ref, Semaphore } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { type CallState, LastCall } from "../platforms/lastCall.ts"
import type { PlatformClient } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import { makeWakeUps } from "../repo/wakeUps.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { publishTarget } from "./publishTarget.ts"
import { Settlements } from "./Settlements.ts"
import { makeSlots } from "./slots.ts"
import { initializePublishMetrics, measureOpenCircuits } from "./telemetry.ts"
import { drainTimeout, lease } from "./timing.ts"
import { Uploader } from "./Uploader.ts"

const millis = (nanos: bigint): number => Number(nanos / 1_000_000n)

const batching = { endsPerTick: 128, endsDelay: "50 millis" } as const

const now = Effect.map(Clock.monotonicTimeNanos, millis)

/** Publishes due targets. */
export class Publisher extends Context.Service<
  Publisher,
  {
    /**
     * Claims due targets up to the free slots and starts an attempt on each. Returns how many: none while the process has no
     * right to publish. One at a time: each counts on the slots that it found free.
     */
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
  /** With the uploader and the lease of the process. Drains when its scope closes, and only then ends the lease. */
  static readonly layer = Layer.effect(
    Publisher,
    Effect.gen(function* () {
      const repo = yield* Repo
      const processLease = yield* ProcessLease
      const context = yield* Effect.context<Repo | PlatformClient | Settlements | ProcessLease>()
      const slots = makeSlots()
      const inFlight = yield* FiberSet.make<void>()
      const idle = FiberSet.awaitEmpty(inFlight)
      const { tickBegins, wake, woken, workEnds } = yield* makeWakeUps(inFlight, batching)
      const drain = Effect.andThen(Effect.timeoutOption(idle, drainTimeout), FiberSet.clear(inFlight))
      yield* Effect.addFinalizer(() => drain)
      const turn = yield* Semaphore.make(1)
      const lastTick = yield* Ref.make(yield* DateTime.now)
      yield* initializePublishMetrics
      const clock = yield* Clock.Clock
      yield* measureOpenCircuits(() => slots.openCircuits(millis(clock.monotonicTimeNanosUnsafe())))

      const endAttempt = Effect.fnUntraced(function* (claim: Claim, lastCall: CallState) {
        // Without its right the process cuts its own calls off, which says nothing about the host.
        const isOwner = Option.contains(yield* processLease.current, claim.ownerId)
        const change = slots.end(claim, isOwner ? lastCall.state : "none", yield* now, yield* Random.next)
        if (change === "opened") {
          yield* Effect.logWarning(
            `The circuit of ${claim.host} is open: it does not respond and gets single attempts only`
          )
        }
        if (change === "closed") yield* Effect.logInfo(`The circuit of ${claim.host} is closed: it responds again`)
      })

      const run = (claim: Claim) =>
        Effect.suspend(() => {
          const lastCall: CallState = { state: "none" }
          slots.take(claim)
          return publishTarget(claim).pipe(
            Effect.provideService(LastCall, lastCall),
            Effect.ensuring(Effect.andThen(endAttempt(claim, lastCall), workEnds))
          )
        })

      const tick = Effect.gen(function* () {
        const owner = yield* processLease.right
        if (Option.isNone(owner)) return 0
        yield* tickBegins
        const free = slots.free(yield* now)
        const limit = Object.values(free.platforms).reduce((sum, count) => sum + count, 0)
        const claims = limit > 0 ? yield* repo.targets.claim(limit, lease, { owner: owner.value, slots: free }) : []
        for (const claim of claims) yield* FiberSet.run(inFlight, run(claim))
        yield* Ref.set(lastTick, yield* DateTime.now)
        return claims.length
      }).pipe(
        Effect.uninterruptible,
        // Outside of it, so that a tick that waits for its turn ends when the service stops.
        turn.withPermits(1),
        Effect.withSpan("Publisher.tick"),
        // Once for all of its attempts: to merge two contexts takes a hundredth of a post's time.
        Effect.provideContext(context)
      )

      return Publisher.of({ tick, wake, woken, idle, drain, lastTick: Ref.get(lastTick) })
    })
  ).pipe(Layer.merge(Uploader.layer), Layer.provide(Settlements.layer), Layer.provideMerge(ProcessLease.layer))
}
