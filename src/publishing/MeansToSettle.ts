import { Cause, Context, Duration, Effect, Exit, Layer, Option } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import { withGrace } from "../domain/grace.ts"
import { bestEffort, isDatabaseUnavailable, isLockConflict } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import { probeInterval, refusedUntilNoClaims } from "./timing.ts"

interface Refused {
  /** Milliseconds by the monotonic clock. */
  readonly since: number
  readonly error: DatabaseUnavailable
}

/** The database has refused outcomes for the time `lasted`. */
export interface Refusal {
  readonly lasted: Duration.Duration
  readonly error: DatabaseUnavailable
}

/** Ignores lock conflicts, which say nothing about other writes. */
const refusalOf = <A, E>(exit: Exit.Exit<A, E>): DatabaseUnavailable | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  return isDatabaseUnavailable(error) && !isLockConflict(error) ? error : undefined
}

type Repeat = <A, E, R>(
  write: Effect.Effect<A, E | DatabaseUnavailable, R>
) => Effect.Effect<A, E | DatabaseUnavailable, R>

/**
 * Tracks if this process can store outcomes. A process that can't store outcomes must not claim, because its outcomes
 * would be lost. A refused write can be the fault of its row, so a probe tests the database itself.
 */
export class MeansToSettle extends Context.Service<
  MeansToSettle,
  {
    /** True if outcomes can be stored. Opens a connection for settlements if none is open. */
    readonly mayClaim: Effect.Effect<boolean>
    /** None if the last outcome or probe was stored. Opens no connection. */
    readonly refusal: Effect.Effect<Option.Option<Refusal>>
    /** Records the database's refusals while `repeat` retries the write that ends a claim. */
    readonly watch: (repeat: Repeat) => Repeat
  }
>()("social-publisher/publishing/MeansToSettle") {
  static readonly layer = Layer.effect(
    MeansToSettle,
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const scope = yield* Effect.scope
      let unopened: Refused | undefined
      /**
       * Oldest first. Any success clears the map. A write that is still refused is retried within a second, and enters
       * it again.
       */
      const refusedWrites = new Map<object, Refused>()
      let isProbing = false

      const refusal = Effect.map(monotonicMillis, (now) => {
        const [write] = refusedWrites.values()
        const first = unopened === undefined || (write !== undefined && write.since < unopened.since) ? write : unopened
        return Option.map(Option.fromUndefinedOr(first), ({ error, since }) => ({
          lasted: Duration.millis(now - since),
          error
        }))
      })

      const open = targets.openSettling.pipe(
        Effect.matchEffect({
          onFailure: (error) =>
            Effect.map(monotonicMillis, (since) => {
              unopened ??= { since, error }
            }),
          onSuccess: () =>
            Effect.sync(() => {
              unopened = undefined
            })
        })
      )

      const mayClaim = Effect.gen(function* () {
        yield* open
        const refused = yield* refusal
        return (
          unopened === undefined &&
          !Option.exists(refused, ({ lasted }) => Duration.isGreaterThanOrEqualTo(lasted, refusedUntilNoClaims))
        )
      })

      /** The first probe runs immediately, because the refused write no longer occupies the connection. */
      const probeWhileRefused = targets.probeSettling.pipe(
        Effect.andThen(Effect.sync(() => refusedWrites.clear())),
        bestEffort("The probe of the connection for settlements was refused"),
        // A database that hangs must not delay the process's stop.
        withGrace(0),
        Effect.andThen(Effect.sleep(probeInterval)),
        Effect.repeat({ while: () => refusedWrites.size > 0 }),
        Effect.ensuring(
          Effect.sync(() => {
            isProbing = false
          })
        )
      )

      const probe = Effect.suspend(() => {
        if (isProbing) return Effect.void
        isProbing = true
        return Effect.forkIn(Effect.interruptible(probeWhileRefused), scope)
      })

      const observe = <A, E>(write: object, exit: Exit.Exit<A, E>) => {
        const error = refusalOf(exit)
        if (error !== undefined) {
          return Effect.andThen(
            Effect.map(monotonicMillis, (since) => {
              if (!refusedWrites.has(write)) refusedWrites.set(write, { since, error })
            }),
            probe
          )
        }
        const isAnswered = Exit.isSuccess(exit) || Cause.hasFails(exit.cause)
        if (isAnswered) refusedWrites.clear()
        return Effect.void
      }

      const watch =
        (repeat: Repeat): Repeat =>
        (write) =>
          Effect.suspend(() => {
            const own = {}
            return Effect.ensuring(
              repeat(Effect.onExit(write, (exit) => observe(own, exit))),
              Effect.sync(() => void refusedWrites.delete(own))
            )
          })

      return MeansToSettle.of({ mayClaim, refusal, watch })
    })
  )
}
