import { Cause, Clock, Context, Duration, Effect, Layer, Option, Queue, Ref, Semaphore } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { ProcessId } from "../domain/ids.ts"
import { withGrace, withLimit } from "../domain/grace.ts"
import { longestTime, type Moment, moment, momentOf } from "../domain/monotonic.ts"
import { maxRenewalGap, processLease } from "../repo/processes.ts"
import { Repo } from "../repo/Repo.ts"
import type { ClaimOwner } from "../repo/targets/Targets.ts"
import { MeansToSettle, type Refusal } from "./MeansToSettle.ts"
import { claimMargin, leaseMargin, refusedUntilNoLease, renewInterval, renewRetryInterval } from "./timing.ts"

interface KnownLease extends ClaimOwner {
  /** Measured before the renewal is sent, so that the process's right ends before its lease in the database. */
  readonly renewedAt: Moment
}

const longEnough = Duration.toMillis(processLease) - Duration.toMillis(leaseMargin)
const longestGap = Duration.toMillis(maxRenewalGap)
const leftForClaim = Duration.toMillis(claimMargin)

/** None if the right to claim and send ends within `margin` milliseconds. */
const rightAt = (lease: KnownLease, now: Moment, margin: number): Option.Option<ClaimOwner> => {
  const age = longestTime(lease.renewedAt, now)
  if (age + margin >= longEnough) return Option.none()
  return Option.some({ id: lease.id, takesOver: lease.takesOver && age <= longestGap })
}

/**
 * The lease under which this process claims and sends. Its row in the database says when others can take over. The
 * process measures it on its own clocks, from before each renewal.
 */
export class ProcessLease extends Context.Service<
  ProcessLease,
  {
    /** Renews the lease if little is left. None if the process then has no right, or if outcomes can't be stored. */
    readonly right: Effect.Effect<Option.Option<ClaimOwner>, DatabaseUnavailable>
    /** The process's id while it has the right to send. Reads only clocks, not the database. */
    readonly current: Effect.Effect<Option.Option<ProcessId>>
    /** Waits until this process may claim or take over again. */
    readonly gained: Effect.Effect<void>
  }
>()("social-publisher/publishing/ProcessLease") {
  static readonly layer = Layer.effect(
    ProcessLease,
    Effect.gen(function* () {
      const { processes } = yield* Repo
      const means = yield* MeansToSettle
      const lock = yield* Semaphore.make(1)
      const gains = yield* Queue.sliding<void>(1)
      const state = yield* Ref.make<Option.Option<KnownLease>>(Option.none())
      /** The row in which this process may still have a lease after it gave up its right. */
      let lastId: ProcessId | undefined
      /** True once `lastId` has no lease in the database. */
      let hasEnded = false
      let couldClaim = true

      // A single Effect step, because it runs several times for each post.
      const rightFor = (margin: number) =>
        Effect.map(Clock.Clock, (clock) =>
          Option.flatMap(Ref.getUnsafe(state), (known) => rightAt(known, momentOf(clock), margin))
        )
      const rightNow = rightFor(0)
      const rightToClaim = rightFor(leftForClaim)

      const renewNow = Effect.gen(function* () {
        const before = yield* moment
        const right = yield* rightNow
        const lease = yield* processes.renew(lastId ?? null, processLease)
        lastId = lease.id
        hasEnded = false
        yield* Ref.set(state, Option.some({ ...lease, renewedAt: before }))
        const renewed = yield* rightNow
        const hasGained =
          Option.isSome(renewed) && (Option.isNone(right) || (renewed.value.takesOver && !right.value.takesOver))
        if (hasGained) yield* Queue.offer(gains, undefined)
      })

      const renewIfShort = Effect.flatMap(
        rightToClaim,
        Option.match({ onNone: () => renewNow, onSome: () => Effect.void })
      )
      const renewedRight = Effect.filterOrElse(rightToClaim, Option.isSome, () =>
        Effect.andThen(lock.withPermits(1)(renewIfShort), rightNow)
      )
      const mayClaim = Effect.tap(
        means.mayClaim,
        Effect.fnUntraced(function* (may) {
          if (may === couldClaim) return
          couldClaim = may
          if (may) {
            yield* Effect.logInfo("Outcomes can be stored again, and posts are claimed")
            yield* Queue.offer(gains, undefined)
          } else {
            const causes = Option.toArray(yield* means.refusal).map(({ error }) => Cause.fail(error))
            yield* Effect.logWarning("Outcomes of posts can't be stored, so none is claimed", ...causes)
          }
        })
      )
      const right = Effect.flatMap(mayClaim, (may) => (may ? renewedRight : Effect.succeedNone))

      const endLast = Effect.suspend(() => (lastId === undefined || hasEnded ? Effect.void : processes.end(lastId)))

      /**
       * Gives up the right to send if outcomes can't be stored for long. Ends the lease `leaseMargin` later, once each
       * request has been sent or has failed, so that other processes take over. This process stores its outcomes later.
       */
      const giveUp = Effect.fnUntraced(function* ({ lasted }: Refusal) {
        const known = yield* Ref.getAndSet(state, Option.none())
        if (Option.isSome(known))
          yield* Effect.logWarning("Outcomes can't be stored for too long, so this process leaves its posts to others")
        const isMarginOver = Duration.isGreaterThanOrEqualTo(lasted, Duration.sum(refusedUntilNoLease, leaseMargin))
        if (!isMarginOver) return
        yield* endLast
        hasEnded = true
      })

      const renewWhileAble = Effect.gen(function* () {
        const may = yield* mayClaim
        const refusal = Option.filter(yield* means.refusal, ({ lasted }) =>
          Duration.isGreaterThanOrEqualTo(lasted, refusedUntilNoLease)
        )
        yield* lock.withPermits(1)(Option.match(refusal, { onNone: () => renewNow, onSome: giveUp }))
        return may ? renewInterval : renewRetryInterval
      })

      // The process's stop does not wait for a database that hangs.
      const keepRenewing = renewWhileAble.pipe(
        withGrace(0),
        Effect.catchTag("DatabaseUnavailable", (error) =>
          Effect.as(Effect.logDebug("The process's lease could not be renewed", Cause.fail(error)), renewRetryInterval)
        ),
        Effect.catchDefect((defect) =>
          Effect.as(Effect.logError("Renewing the process's lease failed", Cause.die(defect)), renewRetryInterval)
        ),
        Effect.flatMap(Effect.sleep),
        Effect.forever
      )

      const end = Effect.andThen(Ref.set(state, Option.none()), endLast).pipe(
        withLimit("1 second"),
        Effect.catchTag("DatabaseUnavailable", (error) =>
          Effect.logDebug("The process's lease is left to expire", Cause.fail(error))
        )
      )

      // Registered first, so that it runs after the fiber below has ended and the publisher has drained.
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
  ).pipe(Layer.provideMerge(MeansToSettle.layer))
}
