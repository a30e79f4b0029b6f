import { Array as Arr, Cause, DateTime, Duration, Effect, Option, Ref } from "effect"
import type { ClaimToken } from "../../domain/ids.ts"
import { isUniqueViolation } from "../postgres/databaseErrors.ts"
import type { Claim } from "./Targets.ts"

/** The claim of a failed statement that may still commit. Its targets are unknown. */
interface LostClaim {
  readonly token: ClaimToken
  readonly leaseUntil: DateTime.Utc
}

/** A claim that this process gave up. */
interface AbandonedClaim extends Pick<Claim, "targetId" | "token"> {
  readonly claimableFrom: DateTime.Utc
}

/** Bounds each list. Targets of forgotten claims wait until the leases end. */
const maxRemembered = 256

/** A claim is abandoned after a failed write, which would probably fail again immediately. */
const abandonedPause = Duration.seconds(20)

/** Only a unique violation proves that nothing was committed. */
const mayBeCommitted = <E>(cause: Cause.Cause<E>): boolean =>
  !Option.exists(Cause.findErrorOption(cause), isUniqueViolation)

const remember = <A>(list: Ref.Ref<ReadonlyArray<A>>, claim: A) =>
  Ref.update(list, (known) => Arr.takeRight([...known, claim], maxRemembered))

/**
 * Claims that this process holds but does not work on. Its next claim takes their targets over before the leases end.
 * Abandoned claims are remembered for `rememberedFor`, longer than their leases.
 */
export const makeLostClaims = Effect.fnUntraced(function* (rememberedFor: Duration.Duration) {
  const lost = yield* Ref.make<ReadonlyArray<LostClaim>>([])
  const abandoned = yield* Ref.make<ReadonlyArray<AbandonedClaim>>([])

  const rememberIfLost =
    (claim: LostClaim) =>
    <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.onErrorIf(statement, mayBeCommitted, () => remember(lost, claim))

  const lostTokens = Effect.fnUntraced(function* (now: DateTime.Utc) {
    const leased = yield* Ref.updateAndGet(
      lost,
      Arr.filter(({ leaseUntil }) => DateTime.isGreaterThan(leaseUntil, now))
    )
    return leased.map(({ token }) => token)
  })

  const abandon = Effect.fnUntraced(function* ({ targetId, token }: Pick<Claim, "targetId" | "token">) {
    const claimableFrom = DateTime.addDuration(yield* DateTime.now, abandonedPause)
    yield* remember(abandoned, { targetId, token, claimableFrom })
  })

  /** The tokens of abandoned claims whose pause is over, by target. */
  const abandonedTokens = Effect.fnUntraced(function* (now: DateTime.Utc) {
    const remembered = yield* Ref.updateAndGet(
      abandoned,
      Arr.filter(({ claimableFrom }) => DateTime.isGreaterThan(DateTime.addDuration(claimableFrom, rememberedFor), now))
    )
    const claimable = remembered.filter(({ claimableFrom }) => DateTime.isLessThanOrEqualTo(claimableFrom, now))
    return Object.fromEntries(claimable.map(({ targetId, token }) => [targetId, token]))
  })

  return { rememberIfLost, lostTokens, abandon, abandonedTokens }
})
