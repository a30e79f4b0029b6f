import { DateTime, Effect, Schema } from "effect"
import { CredentialsUnreadable, DatabaseUnavailable } from "../domain/errors.ts"
import { Unavailable } from "../domain/platformError.ts"
import type { Account } from "../platforms/PlatformClient.ts"
import type { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import { skewAllowance } from "./timing.ts"

/** An operator can bring the missing key back, so the post waits for it; the team is not told of the operator's keys. */
const waitForKey = <A, E, R>(
  credentials: Effect.Effect<A, E | CredentialsUnreadable, R>
): Effect.Effect<A, E | Unavailable, R> =>
  Effect.catchIf(credentials, Schema.is(CredentialsUnreadable), (error) =>
    Effect.andThen(
      Effect.logError(error.message),
      new Unavailable({ message: "The account's stored credentials can't be read at the moment" })
    )
  )

/**
 * The account that a claimed target is sent from. Its credentials are given out only while the claim is sure to be this
 * process's: where the database answered late, or the process was stopped for a while, another may have taken over. They
 * are never those of an account that was connected in its place meanwhile.
 */
export const accountOf = (
  claim: Claim,
  { integrations }: Repo["Service"],
  leaseUntil: DateTime.Utc = claim.leaseUntil
): Account => {
  const whileHeld = <A, E, R>(credentials: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseUnavailable, R> =>
    Effect.gen(function* () {
      const value = yield* credentials
      const now = yield* DateTime.now
      return DateTime.isGreaterThan(DateTime.addDuration(now, skewAllowance), leaseUntil)
        ? yield* new DatabaseUnavailable({
            operation: "reading credentials",
            cause: "The claim's lease is about to end"
          })
        : value
    })
  const { accountId, id, serviceUrl, username } = claim.integration
  return {
    integrationId: id,
    accountId,
    username,
    serviceUrl,
    credentials: {
      current: whileHeld(waitForKey(integrations.credentials(id, accountId))),
      refresh: (seen, renew) => whileHeld(waitForKey(integrations.refreshCredentials(id, seen, renew, accountId)))
    }
  }
}
