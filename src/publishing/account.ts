import { Clock, type DateTime, Duration, Effect, Option, type Redacted, Schema } from "effect"
import { CredentialsUnreadable, DatabaseUnavailable } from "../domain/errors.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import { Unavailable } from "../domain/publishing/platformError.ts"
import type { Files } from "../platforms/MediaFiles.ts"
import type { Account, AccountAccess } from "../platforms/PlatformClient.ts"
import type { Repo } from "../repo/Repo.ts"
import type { Claim, OfAccount } from "../repo/targets/Targets.ts"
import type { ProcessLease } from "./ProcessLease.ts"
import { skewAllowance } from "./timing.ts"

const isUnreadable = Schema.is(CredentialsUnreadable)

/** An operator can restore a missing key, so the post is retried. The team sees the error, so it does not mention keys. */
const unavailableIfUnreadable = <A, E, R>(
  credentials: Effect.Effect<A, E | CredentialsUnreadable, R>
): Effect.Effect<A, E | Unavailable, R> =>
  Effect.catchIf(credentials, isUnreadable, (error) =>
    Effect.andThen(
      Effect.logError(error.message),
      new Unavailable({ message: "The account's stored credentials can't be read at the moment" })
    )
  )

/** The stored files of a workspace. */
type FilesOf = (workspaceId: WorkspaceId) => Files

/** What access to an account is derived from. */
type Claimed = Pick<Claim, "workspaceId" | "integration" | "leaseUntil" | "ownerId">

/** What is known once sending has begun. */
interface Begun {
  /** The renewed lease of the claim. */
  readonly leaseUntil?: DateTime.Utc
  /** The encrypted credentials, as they were read when sending began, which spares the first read. */
  readonly sealed?: Uint8Array | undefined
}

/** Fails unless this process may send under a claim: its own lease and the claim's must not be about to end. */
export const requireLeases = (
  { leaseUntil, ownerId }: Pick<Claim, "leaseUntil" | "ownerId">,
  processLease: ProcessLease["Service"]
): Effect.Effect<void, DatabaseUnavailable> =>
  Clock.clockWith((clock) =>
    Effect.flatMap(processLease.current, (current) =>
      clock.currentTimeMillisUnsafe() + Duration.toMillis(skewAllowance) <= leaseUntil.epochMilliseconds &&
      (ownerId === null || Option.contains(current, ownerId))
        ? Effect.void
        : new DatabaseUnavailable({ operation: "sending a post", cause: "The claim's lease is about to end" })
    )
  )

/**
 * Access to the account of a claim. The leases of the claim and of the process are fences: credentials that are read are
 * withheld once one of them has ended or is about to, because after a slow database or a pause of the process another one
 * may hold the claim. They are also withheld if another account was connected under the same id after the claim. Those
 * that were `sealed` with the intent are not read again; `requireLeases` comes before each request that shows a post.
 */
export const accessForClaim = (
  claim: Claimed,
  { integrations }: Pick<Repo["Service"], "integrations">,
  processLease: ProcessLease["Service"],
  filesOf: FilesOf,
  { leaseUntil = claim.leaseUntil, sealed }: Begun = {}
): AccountAccess => {
  const whileLeased = <A, E>(credentials: Effect.Effect<A, E>) =>
    Effect.tap(credentials, () => requireLeases({ leaseUntil, ownerId: claim.ownerId }, processLease))
  const { accountId, id, serviceUrl, username } = claim.integration
  const opening = (first: Uint8Array) =>
    unavailableIfUnreadable<Redacted.Redacted, never, never>(integrations.openCredentials(id, first))
  const reading = whileLeased(unavailableIfUnreadable(integrations.credentials(id, accountId)))
  let unread = sealed
  return {
    integrationId: id,
    accountId,
    username,
    serviceUrl,
    credentials: {
      // The first ones need no look at the leases, which follows before each request that shows a post.
      current: Effect.suspend(() => {
        const first = unread
        unread = undefined
        return first === undefined ? reading : opening(first)
      }),
      refresh: (stale, renew) =>
        whileLeased(unavailableIfUnreadable(integrations.refreshCredentials(id, stale, renew, accountId)))
    },
    files: filesOf(claim.workspaceId)
  }
}

/** The account that a claimed target is sent from. */
export const accountForClaim = (
  claim: Claimed & OfAccount,
  repo: Repo["Service"],
  processLease: ProcessLease["Service"],
  filesOf: FilesOf,
  begun?: Begun
): Account => ({
  ...accessForClaim(claim, repo, processLease, filesOf, begun),
  others: {
    published: (ids) => repo.targets.publishedByOthers(claim, ids),
    unresolved: (since) => repo.targets.unresolvedOthers(claim, since)
  }
})
