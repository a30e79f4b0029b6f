import { Clock, Context, DateTime, Effect, Layer, Option, Random, Ref } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { type CallState, LastCall } from "../platforms/lastCall.ts"
import { monotonicMillis, toMillis } from "../domain/monotonic.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import { makeWorker, type Worker } from "../worker/makeWorker.ts"
import { Sends } from "./Sends.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { publishTarget } from "./publishTarget.ts"
import { Settlements } from "./Settlements.ts"
import { makeSlots } from "./slots.ts"
import { initializePublishMetrics, measureOpenCircuits } from "./telemetry.ts"
import { ahead, drainTimeout, lease } from "./timing.ts"
import { Uploader } from "./Uploader.ts"

const batching = { endsPerTick: 128, endsDelay: "50 millis" } as const

export class Publisher extends Context.Service<
  Publisher,
  Worker<DatabaseUnavailable> & {
    /** The last successful tick's time; initially the publisher's creation. */
    readonly lastTick: Effect.Effect<DateTime.Utc>
  }
>()("social-publisher/publishing/Publisher") {
  /** Drains when its scope closes, and then ends the process's lease. */
  static readonly layer = Layer.effect(
    Publisher,
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const processLease = yield* ProcessLease
      const slots = makeSlots()
      const lastTick = yield* Ref.make(yield* DateTime.now)
      yield* initializePublishMetrics
      const clock = yield* Clock.Clock
      yield* measureOpenCircuits(() => slots.openCircuits(toMillis(clock.monotonicTimeNanosUnsafe())))

      const freeSlot = Effect.fnUntraced(function* (claim: Claim, lastCall: CallState) {
        // A process that lost its lease ends its own calls, which says nothing about the host.
        const isOwner = Option.contains(yield* processLease.current, claim.ownerId)
        const change = slots.end(claim, isOwner ? lastCall.state : "none", yield* monotonicMillis, yield* Random.next)
        if (change === "opened") {
          yield* Effect.logWarning(
            `The circuit of ${claim.host} is open: it does not respond and gets single attempts only`
          )
        }
        if (change === "closed") yield* Effect.logInfo(`The circuit of ${claim.host} is closed: it responds again`)
      })

      const claim = Effect.gen(function* () {
        const owner = yield* processLease.right
        if (Option.isNone(owner)) return []
        const free = slots.free(yield* monotonicMillis)
        const limit = Object.values(free.platforms).reduce((sum, count) => sum + count, 0)
        const claims =
          limit > 0 ? yield* targets.claim(limit, lease, { owner: owner.value, slots: free, within: ahead.within }) : []
        yield* Ref.set(lastTick, yield* DateTime.now)
        return claims
      })

      const worker = yield* makeWorker({
        name: "Publisher",
        batching,
        drainTimeout,
        claim,
        begin: (claimed: Claim) => {
          const lastCall: CallState = { state: "none" }
          slots.take(claimed)
          return publishTarget(claimed).pipe(
            Effect.provideService(LastCall, lastCall),
            Effect.ensuring(freeSlot(claimed, lastCall))
          )
        }
      })
      return Publisher.of({ ...worker, lastTick: Ref.get(lastTick) })
    })
  ).pipe(
    Layer.provide(Sends.layer),
    Layer.merge(Uploader.layer),
    Layer.provide(Settlements.layer),
    Layer.provideMerge(ProcessLease.layer)
  )
}
