import { Cause, Clock, Context, Duration, Effect, Layer, Option, Queue, Ref, Semaphore } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { ProcessId } from "../domain/ids.ts"
import { withGrace, withLimit } from "../domain/grace.ts"
import { processLease } from "../repo/processes.ts"
import { Repo } from "../repo/Repo.ts"
import type { ClaimOwner } from "../repo/targets/Targets.ts"
import { leaseMargin, maxRenewalGap, renewInterval, renewRetryInterval } from "./timing.ts"

interface Moment {
  readonly monotonic: bigint
  readonly millis: number
}

const momentOf = (clock: Clock.Clock): Moment => ({
  monotonic: clock.monotonicTimeNanosUnsafe(),
  millis: clock.currentTimeMillisUnsafe()
})

const moment = Effect.map(Clock.Clock, momentOf)

// In milliseconds, as they are asked for several times for each post.
const monotonicTime = (start: Moment, end: Moment): number => Number(end.monotonic - start.monotonic) / 1_000_000

/** The longer of what the two clocks say: the monotonic one stops while the machine sleeps, the other may be set back. */
const longestTime = (start: Moment, end: Moment): number =>
  Math.max(monotonicTime(start, end), end.millis - start.millis)

/** A lease as this process knows of it. */
interface KnownLease {
  readonly id: ProcessId
  /** Right before the last renewal was sent, so that the process's right ends before the lease does in the database. */
  readonly renewedAt: Moment
  /** The first of the renewals that follow each other without a gap. */
  readonly unbrokenSince: Moment
}

const wholeLease = Duration.toMillis(processLease)
const longEnough = wholeLease - Duration.toMillis(leaseMargin)
const longestGap = Duration.toMillis(maxRenewalGap)

/** What the process may do under its lease now; none if its right has ended or is about to. */
const rightAt = (lease: KnownLease, now: Moment): Option.Option<ClaimOwner> => {
  const age = longestTime(lease.renewedAt, now)
  if (age >= longEnough) return Option.none()
  return Option.some({
    id: lease.id,
    // While the database is away nobody can renew, so that afterwards every lease has expired, those of processes that are
    // well included. A process takes over once all that are well had the time of a whole lease to renew.
    takesOver: age <= longestGap && monotonicTime(lease.unbrokenSince, lease.renewedAt) >= wholeLease
  })
}

/**
 * The lease by which this process may claim and send. The database's row says when others may take over what it claimed; the
 * process itself goes by its own clocks, counted from before each renewal.
 */
export class ProcessLease extends Context.Service<
  ProcessLease,
  {
    /** The lease to claim under. Renewed first if it has run short; none if it still has then. */
    readonly right: Effect.Effect<Option.Option<ClaimOwner>, DatabaseUnavailable>
    /** The lease under which requests may be sent at this moment, if any. Reads nothing but clocks. */
    readonly current: Effect.Effect<Option.Option<ProcessId>>
    /** Waits until this process may claim or take over what it might not before. */
    readonly gained: Effect.Effect<void>
  }
>()("social-publisher/publishing/ProcessLease") {
  /** Renews the lease for as long as the scope is open, and then ends it. */
  static readonly layer = Layer.effect(
    ProcessLease,
    Effect.gen(function* () {
      const { processes } = yield* Repo
      const lock = yield* Semaphore.make(1)
      const gains = yield* Queue.sliding<void>(1)
      const state = yield* Ref.make<Option.Option<KnownLease>>(Option.none())

      // One step: it is asked several times for each post.
      const rightNow = Effect.map(Clock.Clock, (clock) =>
        Option.flatMap(Ref.getUnsafe(state), (known) => rightAt(known, momentOf(clock)))
      )

      const renewNow = Effect.gen(function* () {
        const before = yield* moment
        const right = yield* rightNow
        const known = Option.getOrUndefined(yield* Ref.get(state))
        const id = yield* processes.renew(known?.id ?? null, processLease)
        const isUnbroken = known?.id === id && longestTime(known.renewedAt, before) <= longestGap
        yield* Ref.set(
          state,
          Option.some({ id, renewedAt: before, unbrokenSince: isUnbroken ? known.unbrokenSince : before })
        )
        const renewed = yield* rightNow
        const hasGained =
          Option.isSome(renewed) && (Option.isNone(right) || (renewed.value.takesOver && !right.value.takesOver))
        if (hasGained) yield* Queue.offer(gains, undefined)
      })

      const renewIfShort = Effect.flatMap(rightNow, Option.match({ onNone: () => renewNow, onSome: () => Effect.void }))
      const right = Effect.filterOrElse(rightNow, Option.isSome, () =>
        Effect.andThen(lock.withPermits(1)(renewIfShort), rightNow)
      )

      // Where the database does not respond the stop of the process does not wait until its connection is given up.
      const keepRenewing = lock
        .withPermits(1)(renewNow)
        .pipe(
          withGrace(0),
          Effect.as(renewInterval),
          Effect.catchTag("DatabaseUnavailable", (error) =>
            Effect.as(
              Effect.logDebug("The process's lease could not be renewed", Cause.fail(error)),
              renewRetryInterval
            )
          ),
          Effect.catchDefect((defect) =>
            Effect.as(Effect.logError("Renewing the process's lease failed", Cause.die(defect)), renewRetryInterval)
          ),
          Effect.flatMap(Effect.sleep),
          Effect.forever
        )

      const end = Effect.gen(function* () {
        const known = yield* Ref.getAndSet(state, Option.none())
        if (Option.isSome(known)) yield* processes.end(known.value.id)
      }).pipe(
        withLimit("1 second"),
        Effect.catchTag("DatabaseUnavailable", (error) =>
          Effect.logDebug("The process's lease is left to expire", Cause.fail(error))
        )
      )

      // Registered first, so that it runs once the fiber below has ended, and after the publisher has drained.
      yield* Effect.addFinalizer(() => end)
      yield* Effect.forkScoped(keepRenewing)

      return ProcessLease.of({
        right,
        current: Effect.map(
          rightNow,
          Option.map(({ id }) => id)
        ),
        gained: Queue.take(gains)
      })
    })
  )
}
