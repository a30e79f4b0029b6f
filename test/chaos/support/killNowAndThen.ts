import { Effect, FiberMap, Random } from "effect"
import type { Replica } from "./replica.ts"

/**
 * Kills one of the replicas every second or two and starts it again, `times` over; `killed` counts. The last one that is
 * ready is spared, so that on a slow machine, too, not only those are killed that have just begun to start.
 */
export const killNowAndThen = (
  replicas: ReadonlyArray<Replica>,
  killed: () => void,
  times = Number.POSITIVE_INFINITY
) =>
  Effect.gen(function* () {
    const ready = new Set(replicas)
    const starting = yield* FiberMap.make<Replica, void>()
    let left = times
    while (left > 0) {
      yield* Effect.sleep(yield* Random.nextIntBetween(1000, 2001))
      const replica = yield* Effect.orDie(Random.choice(replicas))
      if (ready.size === 1 && ready.has(replica)) continue
      ready.delete(replica)
      yield* FiberMap.remove(starting, replica)
      yield* replica.end("SIGKILL")
      killed()
      left--
      yield* replica.start
      yield* FiberMap.run(
        starting,
        replica,
        Effect.map(replica.ready, () => void ready.add(replica))
      )
    }
    return yield* Effect.never
  }).pipe(Effect.scoped)
