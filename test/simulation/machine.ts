import type { Clock } from "effect"
import { Effect } from "effect"
import type { ClaimToken, TargetId } from "../../src/domain/ids.ts"
import type { World } from "./world.ts"

/** One life of a process: what is left of it when it is killed is what it had told the world. */
export interface Machine {
  readonly name: string
  /** Whether chance may kill it. */
  readonly mortal: boolean
  readonly clock: Clock.Clock
  readonly alive: () => boolean
  /** Ends the life without any of its finalizers, as kill -9 does. */
  readonly kill: (why: string) => void
  readonly whenKilled: (then: () => void) => void
  /** Asks it to end, as SIGTERM does. */
  readonly tellToStop: Effect.Effect<void>
  readonly whenToldToStop: (then: Effect.Effect<void>) => void
  /** Stops the process until a time; what it waited for is there when it goes on. */
  readonly freezeUntil: (millis: number) => void
  readonly frozen: () => boolean
  /** Comes back when the process runs; never, once it is killed. Everything that comes from outside passes here. */
  readonly running: Effect.Effect<void>
  /** Goes on once the process runs; at once where it does. */
  readonly whenRunning: <A, E>(then: () => Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Keeps it from reaching the database until a time. */
  readonly cutOffUntil: (millis: number) => void
  readonly cutOff: () => boolean
  /** The claims it was given. */
  readonly tokens: Map<TargetId, Set<ClaimToken>>
}

/** A process whose clock differs from true time by `skew` milliseconds. */
export const makeMachine = (world: World, name: string, skew: number, mortal = true): Machine => {
  const { base } = world
  const last: Array<() => void> = []
  let stop: Effect.Effect<void> = Effect.void
  let alive = true
  let frozenUntil = 0
  let cutOffUntil = 0

  const running: Effect.Effect<void> = Effect.suspend(() => {
    if (!alive) return Effect.never
    const wait = frozenUntil - world.now()
    return wait > 0 ? Effect.andThen(world.sleep(wait), running) : Effect.void
  })
  const millis = () => world.now() + skew
  const nanos = () => BigInt(millis()) * 1_000_000n

  return {
    name,
    mortal,
    clock: {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: base.monotonicTimeNanos,
      sleep: (duration) => Effect.andThen(base.sleep(duration), running)
    },
    alive: () => alive,
    kill: (why) => {
      if (!alive) return
      alive = false
      world.note(name, `killed ${why}`)
      for (const then of last) then()
    },
    whenKilled: (then) => void last.push(then),
    tellToStop: Effect.suspend(() => stop),
    whenToldToStop: (then) => {
      stop = then
    },
    freezeUntil: (until) => {
      frozenUntil = Math.max(frozenUntil, until)
    },
    frozen: () => frozenUntil > world.now(),
    running,
    whenRunning: (then) =>
      alive && frozenUntil <= world.now() ? then() : Effect.andThen(running, Effect.suspend(then)),
    cutOffUntil: (until) => {
      cutOffUntil = until
    },
    cutOff: () => cutOffUntil > world.now(),
    tokens: new Map()
  }
}
