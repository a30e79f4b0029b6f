import { Array as Arr, Cause, DateTime, Effect, Option, Ref } from "effect"
import type { ClaimToken } from "../../domain/ids.ts"
import { isUniqueViolation } from "../postgres/databaseErrors.ts"

/** A claim that failed: it may have been committed, and its response lost. */
interface LostClaim {
  readonly token: ClaimToken
  readonly leaseUntil: DateTime.Utc
}

/** How many of the latest lost claims are remembered. The targets of others wait for the end of their leases. */
const maxLostClaims = 256

/** Whether a claim may take effect that failed with `cause`. */
const mayBeCommitted = <E>(cause: Cause.Cause<E>): boolean =>
  !Option.exists(Cause.findErrorOption(cause), isUniqueViolation)

/** The claims of this process that it was not told of, and on which it therefore does not work. */
export const makeLostClaims = Effect.gen(function* () {
  const claims = yield* Ref.make<ReadonlyArray<LostClaim>>([])

  /** The tokens of those whose leases still run. Each is kept that long: its statement may be about to commit. */
  const tokensAt = (now: DateTime.Utc): Effect.Effect<ReadonlyArray<ClaimToken>> =>
    Effect.map(
      Ref.updateAndGet(
        claims,
        Arr.filter(({ leaseUntil }) => DateTime.isGreaterThan(leaseUntil, now))
      ),
      Arr.map(({ token }) => token)
    )

  /** Remembers a claim if it fails. */
  const remembering =
    (claim: LostClaim) =>
    <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.onErrorIf(statement, mayBeCommitted, () =>
        Ref.update(claims, (known) => Arr.takeRight([...known, claim], maxLostClaims))
      )

  return { tokensAt, remembering }
})
