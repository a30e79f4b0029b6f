import { DateTime, Effect, Option, Schema } from "effect"
import { CredentialsUnreadable, DatabaseUnavailable } from "../domain/errors.ts"
import { Unavailable } from "../domain/platformError.ts"
import type { Account } from "../platforms/PlatformClient.ts"
import type { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import type { ProcessLease } from "./ProcessLease.ts"
import { skewAllowance } from "./timing.ts"

/** An operator can restore a missing key, so the post is retried. The team sees the error, so it does not mention keys. */
const unavailableIfUnreadable = <A, E, R>(
  credentials: Effect.Effect<A, E | CredentialsUnreadable, R>
): Effect.Effect<A, E | Unavailable, R> =>
  Effect.catchIf(credentials, Schema.is(CredentialsUnreadable), (error) =>
    Effect.andThen(
      Effect.logError(error.message),
      new Unavailable({ message: "The account's stored credentials can't be read at the moment" })
    )
  )

/**
 * The account that a claimed target is sent from. The leases of the claim and of the process are fences: credentials are
 * withheld once one of them has ended or is about to, because after a slow database or a pause of the process another one
 * may hold the claim. They are also withheld if another account was connected under the same id after the claim.
 */
export const accountForClaim = (
  claim: Claim,
  { integrations, targets }: Repo["Service"],
  processLease: ProcessLease["Service"],
  leaseUntil: DateTime.Utc = claim.leaseUntil
): Account => {
  const whileLeased = <A, E, R>(credentials: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseUnavailable, R> =>
    Effect.gen(function* () {
      const value = yield* credentials
      const now = yield* DateTime.now
      const isLeased = DateTime.isLessThanOrEqualTo(DateTime.addDuration(now, skewAllowance), leaseUntil)
      const isOwner = claim.ownerId === null || Option.contains(yield* processLease.current, claim.ownerId)
      return isLeased && isOwner
        ? value
        : yield* new DatabaseUnavailable({
            operation: "reading credentials",
            cause: "The claim's lease is about to end"
          })
    })
  const { accountId, id, serviceUrl, username } = claim.integration
  return {
    integrationId: id,
    accountId,
    username,
    serviceUrl,
    others: {
      published: (ids) => targets.publishedByOthers(claim, ids),
      unresolved: (since) => targets.unresolvedOthers(claim, since)
    },
    credentials: {
      current: whileLeased(unavailableIfUnreadable(integrations.credentials(id, accountId))),
      refresh: (stale, renew) =>
        whileLeased(unavailableIfUnreadable(integrations.refreshCredentials(id, stale, renew, accountId)))
    }
  }
}
