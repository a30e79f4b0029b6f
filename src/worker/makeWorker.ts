import { type Duration, Effect, Exit, FiberSet, Semaphore } from "effect"
import { withClaimGrace } from "../domain/grace.ts"
import { MayClaim } from "./MayClaim.ts"
import { type Batching, makeWakeUps } from "./wakeUps.ts"

/** After this many starts, other work of the process gets a turn. */
const startsPerTurn = 16

/** Claims work from a queue in the database, and runs each claim in a fiber, up to the number of slots. */
export interface Worker<E> {
  /**
   * Claims and begins work for the free slots, and returns the number of claims. Runs one at a time, because each tick
   * relies on the free slots that it found.
   */
  readonly tick: Effect.Effect<number, E>
  /**
   * Ticks, then runs `lookAhead`, which returns true if the tick left due work. After false, an end of work that only
   * frees its slot requests no tick until the next tick begins. Runs one at a time.
   */
  readonly tickAndLookAhead: <E2>(lookAhead: Effect.Effect<boolean, E2>) => Effect.Effect<void, E | E2>
  readonly wake: Effect.Effect<void>
  /** Waits for a requested tick, or for ends of work that need a tick. */
  readonly woken: Effect.Effect<void>
  readonly idle: Effect.Effect<void>
  /** Waits for the work in flight, up to `drainTimeout`, then interrupts the rest. */
  readonly drain: Effect.Effect<void>
}

export interface WorkerOptions<Claim, E, R> {
  readonly name: string
  readonly batching: Batching
  readonly drainTimeout: Duration.Input
  readonly claim: Effect.Effect<ReadonlyArray<Claim>, E, R>
  /**
   * Takes a slot for the claim. The returned effect carries out the claim, never fails, and frees the slot. It returns
   * true if it may have made work due, now or soon. `begin` must not throw: other claims would wait for their leases.
   */
  readonly begin: (claim: Claim) => Effect.Effect<boolean, never, R>
}

/** Drains when its scope closes. */
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
  const { tickAndLookAhead, tickBegins, wake, woken, workEnds } = yield* makeWakeUps(inFlight, batching)
  const turn = yield* Semaphore.make(1)
  const drain = Effect.andThen(Effect.timeoutOption(idle, drainTimeout), FiberSet.clear(inFlight))
  yield* Effect.addFinalizer(() => drain)

  const tick = Effect.gen(function* () {
    yield* tickBegins
    const claims = (yield* mayClaim) ? yield* withClaimGrace(claim) : []
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
    // The wait for a turn is interruptible, so that it ends at the service's stop.
    turn.withPermits(1),
    Effect.withSpan(`${name}.tick`),
    // Merges the context once for all work: each merge takes a hundredth of a post's time.
    Effect.provideContext(context)
  )
  return {
    tick,
    tickAndLookAhead: (lookAhead) => tickAndLookAhead(tick, lookAhead),
    wake,
    woken,
    idle,
    drain
  } satisfies Worker<E>
})
