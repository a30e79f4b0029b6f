import { Duration, Effect, Exit, FiberSet, Semaphore } from "effect"
import { withGrace } from "../domain/grace.ts"
import { MayClaim } from "./MayClaim.ts"
import { type Batching, makeWakeUps } from "./wakeUps.ts"

/** How many claims begin before other work of the process has its turn. */
const startsPerTurn = 16

/**
 * How long a claim that is under way is waited for when the service stops. It may be committed all the same: what it took is free again
 * once the process has ended its lease.
 */
const claimGrace = Duration.seconds(1)

/** What takes work from a queue of the database and carries it out, in as many fibers as there are slots. */
export interface Worker<E> {
  /** Claims work up to the free slots and begins it. Returns how much. One tick at a time: each counts on the slots that it found free. */
  readonly tick: Effect.Effect<number, E>
  /**
   * A tick, and then `look`, which finds out whether something is due that was left. If not, an end of work that only frees its slot
   * requests no tick until another one has begun. One at a time.
   */
  readonly tickAndLook: <E2>(look: Effect.Effect<boolean, E2>) => Effect.Effect<void, E | E2>
  /** Requests a tick. */
  readonly wake: Effect.Effect<void>
  /** Waits until a tick was requested, or work has ended that another tick may follow. */
  readonly woken: Effect.Effect<void>
  /** Waits until nothing is in flight. */
  readonly idle: Effect.Effect<void>
  /** Waits for what is in flight, up to the worker's `drainTimeout`, and then interrupts the rest. */
  readonly drain: Effect.Effect<void>
}

export interface WorkerOptions<Claim, E, R> {
  /** Names the worker's spans. */
  readonly name: string
  /** When ends of work request a tick. */
  readonly batching: Batching
  readonly drainTimeout: Duration.Input
  /** Claims work for the free slots. */
  readonly claim: Effect.Effect<ReadonlyArray<Claim>, E, R>
  /**
   * Takes a slot for the claim, and returns what carries it out, never fails and frees the slot. Yields whether it may have freed more than
   * that: whether work may be due now, or soon, that was not due before. Must not throw: the other claims would wait for their leases.
   */
  readonly begin: (claim: Claim) => Effect.Effect<boolean, never, R>
}

/** A worker that drains when its scope closes. */
export const makeWorker = Effect.fnUntraced(function* <Claim, E, R>({
  batching,
  begin,
  claim,
  drainTimeout,
  name
}: WorkerOptions<Claim, E, R>) {
  const context = yield* Effect.context<R>()
  const mayClaim = yield* MayClaim
  const inFlight = yield* FiberSet.make<void>()
  const idle = FiberSet.awaitEmpty(inFlight)
  const { tickAndLook, tickBegins, wake, woken, workEnds } = yield* makeWakeUps(inFlight, batching)
  const turn = yield* Semaphore.make(1)
  const drain = Effect.andThen(Effect.timeoutOption(idle, drainTimeout), FiberSet.clear(inFlight))
  yield* Effect.addFinalizer(() => drain)

  const tick = Effect.gen(function* () {
    yield* tickBegins
    const claims = (yield* mayClaim) ? yield* withGrace(claimGrace)(claim) : []
    for (const [index, each] of claims.entries()) {
      yield* FiberSet.run(
        inFlight,
        Effect.onExit(begin(each), (exit) => workEnds(!Exit.isSuccess(exit) || exit.value))
      )
      if (index % startsPerTurn === startsPerTurn - 1) yield* Effect.yieldNow
    }
    return claims.length
  }).pipe(
    Effect.uninterruptible,
    // The wait for a turn is interruptible, so that it ends when the service stops.
    turn.withPermits(1),
    Effect.withSpan(`${name}.tick`),
    // The context is merged once for all that begins: each merge takes a hundredth of a post's time.
    Effect.provideContext(context)
  )
  return { tick, tickAndLook: (look) => tickAndLook(tick, look), wake, woken, idle, drain } satisfies Worker<E>
})
