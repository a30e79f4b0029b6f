import { Duration, Effect, Exit, Redacted } from "effect"
import type { CredentialsUnreadable, DatabaseUnavailable } from "../../domain/errors.ts"
import type { IntegrationId } from "../../domain/ids.ts"
import { type PlatformError, Unavailable } from "../../domain/publishing/platformError.ts"
import type { RenewalLeases, RenewedRow } from "./renewalLease.ts"

const storeAgain = { sealedAgain: Duration.zero, locked: Duration.millis(100), failed: Duration.seconds(1) } as const

export type RenewalError = PlatformError | CredentialsUnreadable | DatabaseUnavailable

interface Unstored {
  readonly before: Uint8Array
  readonly credentials: Redacted.Redacted
}

interface Renewed {
  readonly credentials: Redacted.Redacted
  readonly expired: string
}

const areEqual = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0

export interface SealedCredentials {
  /** Undefined if the account is not connected. */
  readonly read: (id: IntegrationId, accountId?: string) => Effect.Effect<Uint8Array | undefined, DatabaseUnavailable>
  readonly open: (id: IntegrationId, sealed: Uint8Array) => Effect.Effect<Redacted.Redacted, CredentialsUnreadable>
  readonly seal: (id: IntegrationId, secret: Redacted.Redacted) => Effect.Effect<Uint8Array>
}

/**
 * Keeps renewed credentials until they are stored, because the platform may no longer accept the earlier ones. The
 * process uses them until then.
 */
export const makeUnstoredAccess = (stored: SealedCredentials, lease: Pick<RenewalLeases, "store">) => {
  const unstored = new Map<IntegrationId, Unstored>()

  const open: SealedCredentials["open"] = (id, sealed) => {
    const kept = unstored.get(id)
    return kept !== undefined && areEqual(kept.before, sealed)
      ? Effect.succeed(kept.credentials)
      : stored.open(id, sealed)
  }

  const current = Effect.fnUntraced(function* (id: IntegrationId, accountId?: string) {
    const sealed = yield* stored.read(id, accountId)
    if (sealed === undefined) return yield* new Unavailable({ message: "The account is not connected any more" })
    return { sealed, credentials: yield* open(id, sealed) }
  })

  const findReplaced = Effect.fnUntraced(function* (id: IntegrationId, expired: string) {
    const sealed = yield* stored.read(id)
    if (sealed === undefined) return undefined
    // The same credentials may have been encrypted with another key since.
    return Redacted.value(yield* stored.open(id, sealed)) === expired ? sealed : undefined
  })

  /** If the row is locked or was encrypted again, the caller retries shortly. */
  const storeOnce = Effect.fnUntraced(function* (row: RenewedRow, { credentials, expired }: Renewed) {
    const before = unstored.get(row.id)?.before ?? row.before
    const status = yield* lease.store({ ...row, before })
    if (status !== "replaced") return status
    const replaced = yield* findReplaced(row.id, expired)
    if (replaced === undefined) return status
    unstored.set(row.id, { before: replaced, credentials })
    return "sealedAgain"
  })

  /**
   * Retries until the credentials are stored or replaced. `onTried` gets the results, except while the row is locked.
   */
  const store = Effect.fnUntraced(function* (
    row: RenewedRow,
    renewed: Renewed,
    onTried: (came: "stored" | "replaced" | "failed") => Effect.Effect<unknown>
  ) {
    let failures = 0
    for (;;) {
      const tried = yield* Effect.exit(storeOnce(row, renewed))
      const came = Exit.isSuccess(tried) ? tried.value : "failed"
      if (Exit.isFailure(tried) && failures++ === 0) {
        yield* Effect.logWarning(
          "Renewed access can't be stored. It is kept in this process and tried again",
          tried.cause
        )
      }
      const hasEnded = came === "stored" || came === "replaced"
      if (hasEnded) unstored.delete(row.id)
      if (hasEnded || came === "failed") yield* onTried(came)
      if (hasEnded) return undefined
      yield* Effect.sleep(storeAgain[came])
    }
  })

  return {
    open,
    current,
    keep: (id: IntegrationId, kept: Unstored): void => void unstored.set(id, kept),
    store,
    isUnstored: (id: IntegrationId): boolean => unstored.has(id)
  }
}
