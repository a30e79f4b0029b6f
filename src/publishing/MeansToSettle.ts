import { Cause, Context, Duration, Effect, Exit, Layer, Option } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import { withGrace } from "../domain/grace.ts"
import { bestEffort, isDatabaseUnavailable, isLockConflict } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import { probeInterval, refusedUntilNoClaims } from "./timing.ts"

/** A refusal by the database. */
interface Refused {
  /** In milliseconds of the monotonic clock. */
  readonly since: number
  readonly error: DatabaseUnavailable
}

/** The time in which outcomes could not be stored, and the first error. */
export interface Refusal {
  readonly lasted: Duration.Duration
  readonly error: DatabaseUnavailable
}

/** Another request's lock refuses one write, and says nothing about the others. */
const refusalOf = <A, E>(exit: Exit.Exit<A, E>): DatabaseUnavailable | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  return isDatabaseUnavailable(error) && !isLockConflict(error) ? error : undefined
}

type Repeat = <A, E, R>(
  write: Effect.Effect<A, E | DatabaseUnavailable, R>
) => Effect.Effect<A, E | DatabaseUnavailable, R>

/**
 * Knows if this process can store outcomes. If it can't, it must not claim: nobody would learn the outcomes of what it
 * sends. A process may have a connection to claim and get none for settlements, because a limit of connections is
 * reached or the password was changed. One target that can't be written, because its block is damaged for example, says
 * nothing about the others: a probe tells if the database refuses any write.
 */
export class MeansToSettle extends Context.Service<
  MeansToSettle,
  {
    /** Opens the connection for settlements unless it is open, and returns whether this process may claim. */
    readonly mayClaim: Effect.Effect<boolean>
    /** The time since outcomes can't be stored; none if the last one or the last probe was stored. Opens nothing. */
    readonly refusal: Effect.Effect<Option.Option<Refusal>>
    /** Repeats a write that ends a claim, and watches whether the database refuses it. */
    readonly watch: (repeat: Repeat) => Repeat
  }
>()("social-publisher/publishing/MeansToSettle") {
  static readonly layer = Layer.effect(
    MeansToSettle,
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const scope = yield* Effect.scope
      /** The connection that could not be opened. */
      let unopened: Refused | undefined
      /**
       * Refused writes that are repeated, the first one first. A successful write or probe clears them: each is tried
       * again within a second.
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

      /** Probes at once, when the refused write has left the connection, and then for as long as writes are refused. */
      const probeWhileRefused = targets.probeSettling.pipe(
        Effect.andThen(Effect.sync(() => refusedWrites.clear())),
        bestEffort("The probe of the connection for settlements was refused"),
        // The stop of the process does not wait for a database that hangs.
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
