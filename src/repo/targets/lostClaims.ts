import { Array as Arr, Cause, DateTime, Duration, Effect, Option, Ref } from "effect"
import type { ClaimToken } from "../../domain/ids.ts"
import { isUniqueViolation } from "../postgres/databaseErrors.ts"
import type { Claim } from "./Targets.ts"

/** A failed claim, which may have been committed without its response. */
interface LostClaim {
  readonly token: ClaimToken
  readonly leaseUntil: DateTime.Utc
}

type AbandonedClaim = Pick<Claim, "targetId" | "token"> & { readonly from: DateTime.Utc }

/** Further claims are forgotten. Their targets wait until the leases end. */
const maxRemembered = 256

/** A failed write may fail at the next attempt as well. */
const abandonedPause = Duration.seconds(20)

const mayBeCommitted = <E>(cause: Cause.Cause<E>): boolean =>
  !Option.exists(Cause.findErrorOption(cause), isUniqueViolation)

/**
 * Claims that this process owns in the database, but does not work on. Abandoned claims are remembered for
 * `rememberedFor`, longer than their leases.
 */
export const makeLostClaims = Effect.fnUntraced(function* (rememberedFor: Duration.Duration) {
  const claims = yield* Ref.make<ReadonlyArray<LostClaim>>([])
  const abandoned = yield* Ref.make<ReadonlyArray<AbandonedClaim>>([])

  /** Lost claims' tokens until their leases end: their statements may still commit. */
  const tokensAt = (now: DateTime.Utc): Effect.Effect<ReadonlyArray<ClaimToken>> =>
    Effect.map(
      Ref.updateAndGet(
        claims,
        Arr.filter(({ leaseUntil }) => DateTime.isGreaterThan(leaseUntil, now))
      ),
      Arr.map(({ token }) => token)
    )

  const abandonedAt = (now: DateTime.Utc) =>
    Effect.map(
      Ref.updateAndGet(
        abandoned,
        Arr.filter(({ from }) => DateTime.isGreaterThan(DateTime.addDuration(from, rememberedFor), now))
      ),
      (known) =>
        Object.fromEntries(
          known
            .filter(({ from }) => DateTime.isLessThanOrEqualTo(from, now))
            .map(({ targetId, token }) => [targetId, token] as const)
        )
    )

  const remembering =
    (claim: LostClaim) =>
    <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.onErrorIf(statement, mayBeCommitted, () =>
        Ref.update(claims, (known) => Arr.takeRight([...known, claim], maxRemembered))
      )

  const abandon = Effect.fnUntraced(function* ({ targetId, token }: Pick<Claim, "targetId" | "token">) {
    const from = DateTime.addDuration(yield* DateTime.now, abandonedPause)
    yield* Ref.update(abandoned, (known) => Arr.takeRight([...known, { targetId, token, from }], maxRemembered))
  })

  return { tokensAt, abandonedAt, remembering, abandon }
})
