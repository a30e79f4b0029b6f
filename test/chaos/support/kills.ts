import { Effect, Fiber, FiberMap, Option, Random } from "effect"
import type { Replica } from "./replica.ts"

/**
 * Sends SIGKILL to a random replica every second or two, up to `limit` times, and restarts the replica. Spares the last
 * ready replica; otherwise, on a slow machine, only starting replicas would be killed.
 */
export const killRepeatedly = (
  replicas: ReadonlyArray<Replica>,
  onKill: () => void,
  limit = Number.POSITIVE_INFINITY
) =>
  Effect.gen(function* () {
    const ready = new Set(replicas)
    const starting = yield* FiberMap.make<Replica, void>()
    let left = limit
    while (left > 0) {
      yield* Effect.sleep(yield* Random.nextIntBetween(1000, 2001))
      const replica = yield* Effect.orDie(Random.choice(replicas))
      if (ready.size === 1 && ready.has(replica)) continue
      ready.delete(replica)
      yield* FiberMap.remove(starting, replica)
      // Uninterruptible, so that a killed replica is always restarted.
      yield* Effect.uninterruptible(Effect.andThen(replica.end("SIGKILL"), replica.start))
      onKill()
      left--
      yield* FiberMap.run(
        starting,
        replica,
        Effect.map(replica.ready, () => void ready.add(replica))
      )
    }
    return yield* Effect.never
  }).pipe(Effect.scoped)

const second = 1000

/** The time for which one replica is spared. */
const spared = [60 * second, 90 * second] as const
/**
 * The next spared replica runs for this long before all other replicas can be killed. It is enough to take over claims.
 */
const handover = 40 * second
/** The time for which a replica is suspended: longer than its lease. */
const frozen = [45 * second, 60 * second] as const
/** The pause after a replica resumes, in which it could do harm. */
const thawed = 10 * second

/**
 * Kills replicas with SIGKILL every second or two and restarts them, or suspends them for longer than their lease.
 * Always spares one replica, and changes which one after a while.
 */
export const killAllButOne = Effect.fn("killAllButOne")(function* (
  replicas: ReadonlyArray<Replica>,
  onKill: () => void,
  onFreeze: () => void
) {
  let safe: ReadonlyArray<Replica> = replicas.slice(0, 1)
  const busy = yield* FiberMap.make<Replica, void>()

  const changeSpared = Effect.gen(function* () {
    yield* Effect.sleep(yield* Random.nextIntBetween(...spared))
    const next = yield* Effect.orDie(Random.choice(replicas.filter((replica) => !safe.includes(replica))))
    safe = [...safe, next]
    const current = FiberMap.getUnsafe(busy, next)
    if (Option.isSome(current)) yield* Fiber.await(current.value)
    yield* next.ready
    yield* Effect.sleep(handover)
    safe = [next]
  })

  const kill = (replica: Replica) =>
    Effect.gen(function* () {
      yield* Effect.uninterruptible(Effect.andThen(replica.end("SIGKILL"), replica.start))
      onKill()
      // Half of the replicas are killed again before they are ready.
      if (yield* Random.nextBoolean) yield* replica.ready
    })
  const freeze = (replica: Replica) =>
    Effect.gen(function* () {
      yield* replica.ready
      yield* replica.freeze
      onFreeze()
      yield* Effect.sleep(yield* Random.nextIntBetween(...frozen))
      yield* replica.resume
      yield* Effect.sleep(thawed)
    })

  const isFree = (replica: Replica) => !safe.includes(replica) && !FiberMap.hasUnsafe(busy, replica)

  yield* Effect.forkScoped(Effect.forever(changeSpared))
  for (;;) {
    yield* Effect.sleep(yield* Random.nextIntBetween(second, 2 * second))
    const free = replicas.filter(isFree)
    if (free.length === 0) continue
    const replica = yield* Effect.orDie(Random.choice(free))
    const isFrozen = !replicas.some((other) => other.isFrozen()) && (yield* Random.next) < 0.1
    yield* FiberMap.run(busy, replica, isFrozen ? freeze(replica) : kill(replica))
  }
}, Effect.scoped)
