import { Clock, Deferred, Duration, Effect, Exit, Option, Redacted } from "effect"
import type { RenewedAccess } from "../../domain/accounts/integration.ts"
import type { CredentialsUnreadable, DatabaseUnavailable } from "../../domain/errors.ts"
import { awaitWithGrace, withLimit } from "../../domain/grace.ts"
import type { IntegrationId } from "../../domain/ids.ts"
import { monotonicMillis } from "../../domain/monotonic.ts"
import { type PlatformError, Unavailable } from "../../domain/publishing/platformError.ts"
import type { FormerAccess } from "./Integrations.ts"
import type { RenewalLease, RenewalLeases, RenewedRow } from "./renewalLease.ts"

/** The time that a renewal has after an interruption. A platform that responds at all responds within it. */
const renewalGrace = Duration.seconds(4)

/** The pause between two looks for another process's renewal. */
const pollInterval = Duration.millis(100)

/**
 * A renewal begins within this time of the request for its lease. A process that was suspended for longer takes the
 * lease again.
 */
const beginsWithin = Duration.toMillis(Duration.seconds(10))

/** The pause before a renewal is stored again, by what came of the last try. */
const storeAgain = { sealedAgain: Duration.zero, locked: Duration.millis(100), failed: Duration.seconds(1) } as const

/** How many accesses that nobody needs are kept to be ended. */
const maxUnwanted = 1_000

export type RenewalError = PlatformError | CredentialsUnreadable | DatabaseUnavailable

/** Renewed credentials that are not stored yet, with the sealed ones that they replace. */
interface Unstored {
  readonly before: Uint8Array
  readonly credentials: Redacted.Redacted
}

/** A renewal by this process, until what it brought is stored. */
interface Renewal {
  readonly expired: string
  /** The result for its callers. */
  readonly result: Deferred.Deferred<Redacted.Redacted, RenewalError>
  readonly ended: Deferred.Deferred<void>
}

/** A renewal as it was asked for. */
interface Asked {
  readonly id: IntegrationId
  readonly accountId: string | undefined
  readonly renewal: Renewal
  readonly renew: Effect.Effect<RenewedAccess, PlatformError>
}

export type CredentialRefresh = (
  id: IntegrationId,
  expired: Redacted.Redacted,
  renew: Effect.Effect<RenewedAccess, PlatformError>,
  accountId?: string
) => Effect.Effect<Redacted.Redacted, RenewalError>

/** The monotonic clock stops while the machine sleeps, and the wall clock may be set back. The longer time counts. */
const bothClocks = Effect.all([monotonicMillis, Clock.currentTimeMillis])
const longestBetween = (start: readonly [number, number], end: readonly [number, number]) =>
  Math.max(end[0] - start[0], end[1] - start[1])

const areEqual = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0

interface Stored {
  /** The sealed credentials; undefined if the account is not connected. */
  readonly read: (id: IntegrationId, accountId?: string) => Effect.Effect<Uint8Array | undefined, DatabaseUnavailable>
  readonly open: (id: IntegrationId, sealed: Uint8Array) => Effect.Effect<Redacted.Redacted, CredentialsUnreadable>
  readonly seal: (id: IntegrationId, secret: Redacted.Redacted) => Effect.Effect<Uint8Array>
}

/**
 * Renews access. One process at a time renews an account, under a lease on its row, and its callers share the renewal.
 * Renewed credentials are kept until they are stored, because the platform may not accept the earlier ones any more.
 */
export const makeRenewals = (stored: Stored, lease: RenewalLeases) => {
  const running = new Map<IntegrationId, Renewal>()
  const unstored = new Map<IntegrationId, Unstored>()
  let unwanted: ReadonlyArray<FormerAccess> = []

  const open: Stored["open"] = (id, sealed) => {
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

  /** The sealed credentials that an unstored renewal replaces now; undefined if somebody else has stored others. */
  const findReplaced = Effect.fnUntraced(function* (id: IntegrationId, expired: string) {
    const sealed = yield* stored.read(id)
    if (sealed === undefined) return undefined
    // The same credentials may have been encrypted with another key since.
    return Redacted.value(yield* stored.open(id, sealed)) === expired ? sealed : undefined
  })

  /** Tries to store a renewal. The caller tries again shortly if the row is locked or was encrypted again. */
  const storeOnce = Effect.fnUntraced(function* (row: RenewedRow, expired: string) {
    const before = unstored.get(row.id)?.before ?? row.before
    const status = yield* lease.store({ ...row, before })
    if (status !== "replaced") return status
    const replaced = yield* findReplaced(row.id, expired)
    const kept = unstored.get(row.id)
    if (replaced === undefined || kept === undefined) return status
    unstored.set(row.id, { ...kept, before: replaced })
    return "sealedAgain"
  })

  /** Tries to store a renewal until the process ends. `onTried` gets the result of each try that met no lock. */
  const store = Effect.fnUntraced(function* (
    row: RenewedRow,
    expired: string,
    onTried: (came: "stored" | "replaced" | "failed") => Effect.Effect<unknown>
  ) {
    let failures = 0
    for (;;) {
      const tried = yield* Effect.exit(storeOnce(row, expired))
      const came = Exit.isSuccess(tried) ? tried.value : "failed"
      if (Exit.isFailure(tried) && failures++ === 0) {
        yield* Effect.logWarning(
          "Renewed access can't be stored. It is kept in this process and tried again",
          tried.cause
        )
      }
      if (came === "stored" || came === "replaced") unstored.delete(row.id)
      if (came === "stored" || came === "replaced" || came === "failed") yield* onTried(came)
      if (came === "stored" || came === "replaced") return undefined
      yield* Effect.sleep(storeAgain[came])
    }
  })

  /** Keeps what was renewed for an account that was disconnected or replaced meanwhile: its platform goes on to accept it. */
  const keepUnwanted = Effect.fnUntraced(function* (
    { accountId, id, platform, serviceUrl }: RenewalLease,
    credentials: Redacted.Redacted
  ) {
    const sealed = yield* Effect.option(stored.read(id, accountId))
    if (Option.isNone(sealed) || sealed.value !== undefined || unwanted.length >= maxUnwanted) return
    unwanted = [...unwanted, { platform, accountId, serviceUrl, credentials }]
  })

  const renewUnder = Effect.fnUntraced(function* (
    held: RenewalLease,
    { accountId, before, renew, renewal }: Asked & { readonly before: Uint8Array }
  ) {
    const { id } = held
    const asked = yield* Effect.exit(renew)
    if (Exit.isFailure(asked)) {
      yield* lease.release(held)
      // Others may have stored new credentials since: a person, or the version before, which knows no leases.
      const now = yield* Effect.option(current(id, accountId))
      const isReplaced = Option.exists(now, (found) => Redacted.value(found.credentials) !== renewal.expired)
      const result =
        Option.isSome(now) && isReplaced ? Exit.succeed(now.value.credentials) : Exit.failCause(asked.cause)
      return void Deferred.doneUnsafe(renewal.result, result)
    }
    const { credentials, host, lifetime, username } = asked.value
    unstored.set(id, { before, credentials })
    const row: RenewedRow = {
      id,
      before,
      sealed: yield* stored.seal(id, credentials),
      seconds: lifetime === undefined ? null : Duration.toSeconds(lifetime),
      username: username ?? null,
      saysHost: host !== undefined,
      host: host ?? null
    }
    yield* store(row, renewal.expired, (came) =>
      came === "replaced"
        ? Effect.andThen(
            keepUnwanted(held, credentials),
            Deferred.complete(
              renewal.result,
              Effect.map(current(id, accountId), (found) => found.credentials)
            )
          )
        : Deferred.succeed(renewal.result, credentials)
    )
  })

  /** Renews access, or waits until another process has. */
  const run = Effect.fnUntraced(function* (asked: Asked) {
    const { accountId, id, renewal } = asked
    for (;;) {
      const { credentials, sealed: before } = yield* current(id, accountId)
      if (Redacted.value(credentials) !== renewal.expired) {
        return void Deferred.doneUnsafe(renewal.result, Exit.succeed(credentials))
      }
      const since = yield* bothClocks
      const held = Option.getOrUndefined(yield* lease.take({ id, before }))
      if (held === undefined) yield* Effect.sleep(pollInterval)
      else if (longestBetween(since, yield* bothClocks) < beginsWithin) {
        return yield* renewUnder(held, { ...asked, before })
      }
    }
  })

  const begin = (asked: Asked) => {
    const { id, renewal } = asked
    return run(asked).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          running.delete(id)
          // Otherwise it was completed before.
          if (Exit.isFailure(exit)) Deferred.doneUnsafe(renewal.result, Exit.failCause(exit.cause))
          Deferred.doneUnsafe(renewal.ended, Exit.void)
        })
      ),
      Effect.interruptible,
      Effect.forkDetach({ startImmediately: true })
    )
  }

  const refreshCredentials: CredentialRefresh = Effect.fnUntraced(function* (id, expired, renew, accountId) {
    let renewal = running.get(id)
    while (renewal !== undefined && renewal.expired !== Redacted.value(expired)) {
      yield* Effect.interruptible(Deferred.await(renewal.ended))
      renewal = running.get(id)
    }
    if (renewal === undefined) {
      renewal = { expired: Redacted.value(expired), result: Deferred.makeUnsafe(), ended: Deferred.makeUnsafe() }
      // No yield is between this and the look for a running one, so that nobody else begins another meanwhile.
      running.set(id, renewal)
      yield* begin({ id, accountId, renewal, renew })
    }
    // A process that stops waits for its callers, and so for what the platform is about to say.
    return yield* awaitWithGrace(Deferred.await(renewal.result), renewalGrace)
  }, Effect.uninterruptible)

  const awaitStored = Effect.suspend(() => {
    const left = [...running].filter(([id]) => unstored.has(id))
    const ended = Effect.forEach(left, ([, renewal]) => Deferred.await(renewal.ended), { concurrency: "unbounded" })
    return left.length === 0 ? Effect.void : withLimit(renewalGrace)(ended)
  })

  return {
    /** Opens sealed credentials, or has the renewed ones that replace them and are not stored yet. */
    open,
    /** The stored credentials, or the renewed ones that replace them. */
    current,
    refreshCredentials,
    /** The renewed access that nobody needs, once. */
    takeUnwanted: Effect.sync(() => {
      const taken = unwanted
      unwanted = []
      return taken
    }),
    /** Waits shortly until all renewals are stored: nobody else has what this process got. */
    awaitStored
  }
}
