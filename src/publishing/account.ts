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

/** A missing key is Unavailable, because an operator can restore it. The team sees the message, so it names no key. */
const unavailableIfUnreadable = <A, E, R>(
  credentials: Effect.Effect<A, E | CredentialsUnreadable, R>
): Effect.Effect<A, E | Unavailable, R> =>
  Effect.catchIf(credentials, isUnreadable, (error) =>
    Effect.andThen(
      Effect.logError(error.message),
      new Unavailable({ message: "The account's stored credentials can't be read at the moment" })
    )
  )

type FilesOf = (workspaceId: WorkspaceId) => Files

type Claimed = Pick<Claim, "workspaceId" | "integration" | "leaseUntil" | "ownerId">

interface Begun {
  readonly leaseUntil?: DateTime.Utc
  /** Encrypted credentials that were read with the intent, which saves the first read. */
  readonly sealed?: Uint8Array | undefined
}

/** Fails if the process's or the claim's lease has ended or is about to end. */
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
 * Access to a claim's account, fenced by the leases of the claim and the process. Withholds credentials if a lease has
 * ended or is about to end, because another process may hold the claim, or if another account was connected under the
 * same id. Credentials `sealed` with the intent are not read again: `requireLeases` runs before each request that may
 * make a post visible.
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
  let unread = sealed
  return {
    integrationId: id,
    accountId,
    username,
    serviceUrl,
    credentials: {
      // `requireLeases` checks the leases later.
      current: Effect.suspend(() => {
        const first = unread
        unread = undefined
        return first === undefined
          ? whileLeased(unavailableIfUnreadable(integrations.credentials(id, accountId)))
          : opening(first)
      }),
      refresh: (stale, renew) =>
        whileLeased(unavailableIfUnreadable(integrations.refreshCredentials(id, stale, renew, accountId)))
    },
    files: filesOf(claim.workspaceId)
  }
}

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
