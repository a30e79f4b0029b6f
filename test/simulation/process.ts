import { type Clock, Effect } from "effect"
import type { ClaimToken, TargetId } from "../../src/domain/ids.ts"
import type { World } from "./world.ts"

/** A simulated operating system process, from its start to its exit. */
export interface Process {
  readonly name: string
  /** Whether fault injection may crash it. */
  readonly canCrash: boolean
  readonly clock: Clock.Clock
  /** Sets its wall clock to `skew` milliseconds ahead of true time, whatever it is doing. */
  readonly setClock: (skew: number) => void
  readonly isAlive: () => boolean
  /** Whether it executes anything now, also while it shuts down. */
  readonly isRunning: () => boolean
  /** Since when it has been able to publish without an interruption; undefined while it does not. */
  readonly runningSince: () => number | undefined
  /** Ends the process without running any finalizer, as SIGKILL does. */
  readonly kill: (why: string) => void
  readonly onKill: (listener: () => void) => void
  /** Notes that it shuts down, and claims nothing more. */
  readonly beginStop: () => void
  /** SIGTERM. */
  readonly terminate: Effect.Effect<void>
  readonly onTerminate: (handler: Effect.Effect<void>) => void
  /** Suspends the process until then, as SIGSTOP does; what it waited for has happened when it resumes. */
  readonly freezeUntil: (millis: number) => void
  /** Waits while the process is frozen, and for ever once it is killed. All that enters the process waits here. */
  readonly untilRunning: Effect.Effect<void>
  /** `untilRunning` and then the effect, without a step of the interpreter where the process runs. */
  readonly whenRunning: <A, E>(effect: () => Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Partitions the process from the database until then. */
  readonly partitionUntil: (millis: number) => void
  readonly isPartitioned: () => boolean
  /**
   * Has the database refuse to settle, and a connection for it, until then. Whatever else the process asks of it works.
   */
  readonly refuseSettlingUntil: (millis: number) => void
  /** Since when it refuses that and the process runs, which learns nothing before; undefined while it does not. */
  readonly settlingRefusedSince: () => number | undefined
  /** The fencing tokens of the claims that it was given. */
  readonly claimTokens: Map<TargetId, Set<ClaimToken>>
}

/** A process whose clock is `skewAtStart` milliseconds ahead of true time. */
export const makeProcess = (world: World, name: string, skewAtStart: number, canCrash = true): Process => {
  const killListeners: Array<() => void> = []
  let terminate: Effect.Effect<void> = Effect.void
  const startedAt = world.now()
  let skew = skewAtStart
  let isAlive = true
  let isStopping = false
  let frozenUntil = 0
  let partitionedUntil = 0
  let settlingRefused = { since: 0, until: 0 }

  const untilRunning: Effect.Effect<void> = Effect.suspend(() => {
    if (!isAlive) return Effect.never
    const wait = frozenUntil - world.now()
    return wait > 0 ? Effect.andThen(world.sleep(wait), untilRunning) : Effect.void
  })
  const millis = () => world.now() + skew
  const nanos = () => BigInt(millis()) * 1_000_000n

  return {
    name,
    canCrash,
    clock: {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: () => world.clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: world.clock.monotonicTimeNanos,
      sleep: (duration) => Effect.andThen(world.clock.sleep(duration), untilRunning)
    },
    setClock: (ahead) => {
      skew = ahead
      world.log(name, `has its clock set ${ahead} ms off`)
    },
    isAlive: () => isAlive,
    isRunning: () => isAlive && frozenUntil <= world.now(),
    runningSince: () =>
      isAlive && !isStopping && frozenUntil <= world.now() && settlingRefused.until <= world.now()
        ? Math.max(startedAt, frozenUntil, settlingRefused.until)
        : undefined,
    kill: (why) => {
      if (!isAlive) return
      isAlive = false
      world.log(name, `killed ${why}`)
      for (const listener of killListeners) listener()
    },
    onKill: (listener) => void killListeners.push(listener),
    terminate: Effect.suspend(() => terminate),
    beginStop: () => {
      isStopping = true
    },
    onTerminate: (handler) => {
      terminate = handler
    },
    freezeUntil: (until) => {
      frozenUntil = Math.max(frozenUntil, until)
    },
    untilRunning,
    whenRunning: (effect) =>
      isAlive && frozenUntil <= world.now() ? effect() : Effect.andThen(untilRunning, Effect.suspend(effect)),
    partitionUntil: (until) => {
      partitionedUntil = until
    },
    isPartitioned: () => partitionedUntil > world.now(),
    refuseSettlingUntil: (until) => {
      const isRefused = settlingRefused.until > world.now()
      settlingRefused = {
        since: isRefused ? settlingRefused.since : world.now(),
        until: Math.max(until, settlingRefused.until)
      }
    },
    settlingRefusedSince: () =>
      settlingRefused.until > world.now() ? Math.max(settlingRefused.since, frozenUntil) : undefined,
    claimTokens: new Map()
  }
}
