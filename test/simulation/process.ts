import { type Clock, Effect } from "effect"
import type { ClaimToken, TargetId } from "../../src/domain/ids.ts"
import type { World } from "./world.ts"

/** A simulated operating system process, from its start to its exit. */
export interface Process {
  readonly name: string
  /** True if fault injection may crash it. */
  readonly canCrash: boolean
  readonly clock: Clock.Clock
  /** Sets its wall clock to `skew` milliseconds ahead of true time, at any moment. */
  readonly setClock: (skew: number) => void
  readonly isAlive: () => boolean
  /** Also true while it shuts down. */
  readonly isRunning: () => boolean
  /** The time since which it can publish without interruption; undefined if it can't. */
  readonly runningSince: () => number | undefined
  /** Runs no finalizer, as after SIGKILL. */
  readonly kill: (why: string) => void
  readonly onKill: (listener: () => void) => void
  /** It shuts down, and claims nothing more. */
  readonly beginStop: () => void
  /** SIGTERM. */
  readonly terminate: Effect.Effect<void>
  readonly onTerminate: (handler: Effect.Effect<void>) => void
  /** Freezes the process as SIGSTOP does. Events that it waited for have happened when it resumes. */
  readonly freezeUntil: (millis: number) => void
  /**
   * Waits while the process is frozen, and forever once it is killed. Everything that enters the process waits here.
   */
  readonly untilRunning: Effect.Effect<void>
  /** Runs the effect after `untilRunning`, but without an extra interpreter step if the process runs. */
  readonly whenRunning: <A, E>(effect: () => Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Separates the process from the database. */
  readonly partitionUntil: (millis: number) => void
  readonly isPartitioned: () => boolean
  /** Makes the database refuse settlements, and a new connection for settlements. Everything else works. */
  readonly refuseSettlingUntil: (millis: number) => void
  /** The time since which the running process can notice that the database refuses. Undefined if it does not refuse. */
  readonly settlingRefusedSince: () => number | undefined
  /** The fencing tokens of its claims. */
  readonly claimTokens: Map<TargetId, Set<ClaimToken>>
}

/** Its clock is `skewAtStart` milliseconds ahead of true time. */
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
