import { Array as Arr, Cause, DateTime, Duration, Effect, Option, Ref } from "effect"
import type { ClaimToken } from "../../domain/ids.ts"
import { isUniqueViolation } from "../postgres/databaseErrors.ts"
import type { Claim } from "./Targets.ts"

/** A claim that failed: it may have been committed, and its response lost. */
interface LostClaim {
  readonly token: ClaimToken
  readonly leaseUntil: DateTime.Utc
}

/** A claim that the process works on no more, and could neither settle nor release. */
type AbandonedClaim = Pick<Claim, "targetId" | "token"> & { readonly from: DateTime.Utc }

/** How many of the latest lost claims are remembered, and of the abandoned ones. The targets of others wait for the end of their leases. */
const maxRemembered = 256

/** How long an abandoned claim rests: what could not be written may fail at the next attempt as well. */
const abandonedPause = Duration.seconds(20)

/** Whether a claim may take effect that failed with `cause`. */
const mayBeCommitted = <E>(cause: Cause.Cause<E>): boolean =>
  !Option.exists(Cause.findErrorOption(cause), isUniqueViolation)

/**
 * The claims of this process on which it does not work, although the database has them as its own. Abandoned ones are remembered for
 * `rememberedFor`, which is longer than their leases.
 */
export const makeLostClaims = Effect.fnUntraced(function* (rememberedFor: Duration.Duration) {
  const claims = yield* Ref.make<ReadonlyArray<LostClaim>>([])
  const abandoned = yield* Ref.make<ReadonlyArray<AbandonedClaim>>([])

  /** The tokens of those that it was not told of and whose leases still run. Each is kept that long: its statement may be about to commit. */
  const tokensAt = (now: DateTime.Utc): Effect.Effect<ReadonlyArray<ClaimToken>> =>
    Effect.map(
      Ref.updateAndGet(
        claims,
        Arr.filter(({ leaseUntil }) => DateTime.isGreaterThan(leaseUntil, now))
      ),
      Arr.map(({ token }) => token)
    )

  /** The tokens of those that were abandoned some time ago, by their targets. */
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

  /** Remembers a claim if it fails. */
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
