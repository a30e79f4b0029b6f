import { Deferred, Duration, Effect, Exit, Option, Redacted } from "effect"
import type { RenewedAccess } from "../../domain/accounts/integration.ts"
import { awaitWithGrace, withLimit } from "../../domain/grace.ts"
import type { IntegrationId } from "../../domain/ids.ts"
import { longestTime, moment } from "../../domain/monotonic.ts"
import type { PlatformError } from "../../domain/publishing/platformError.ts"
import type { FormerAccess } from "./Integrations.ts"
import type { RenewalLease, RenewalLeases, RenewedRow } from "./renewalLease.ts"
import { makeUnstoredAccess, type RenewalError, type SealedCredentials } from "./unstoredAccess.ts"

/** A platform that responds at all responds within this time. */
const renewalGrace = Duration.seconds(4)

const lookInterval = Duration.millis(100)

/** Counted from the request for the lease. A process suspended for longer requests the lease again. */
const beginsWithin = Duration.toMillis(Duration.seconds(10))

const maxUnwanted = 1_000

interface Renewal {
  readonly expired: string
  readonly result: Deferred.Deferred<Redacted.Redacted, RenewalError>
  readonly ended: Deferred.Deferred<void>
}

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

/** One process at a time renews an account, under a lease on its row. All callers in the process share the renewal. */
export const makeRenewals = (stored: SealedCredentials, lease: RenewalLeases) => {
  const { current, isUnstored, keep, open, store } = makeUnstoredAccess(stored, lease)
  const running = new Map<IntegrationId, Renewal>()
  let unwanted: ReadonlyArray<FormerAccess> = []

  /** The platform still accepts the access of an account that is no longer connected. */
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
      // A person, or the previous version, which ignores leases, may have stored new credentials since.
      const now = yield* Effect.option(current(id, accountId))
      const isReplaced = Option.exists(now, (found) => Redacted.value(found.credentials) !== renewal.expired)
      const result =
        Option.isSome(now) && isReplaced ? Exit.succeed(now.value.credentials) : Exit.failCause(asked.cause)
      return void Deferred.doneUnsafe(renewal.result, result)
    }
    const { credentials, host, lifetime, username } = asked.value
    keep(id, { before, credentials })
    const row: RenewedRow = {
      id,
      before,
      sealed: yield* stored.seal(id, credentials),
      seconds: lifetime === undefined ? null : Duration.toSeconds(lifetime),
      username: username ?? null,
      saysHost: host !== undefined,
      host: host ?? null
    }
    yield* store(row, { credentials, expired: renewal.expired }, (came) =>
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

  const run = Effect.fnUntraced(function* (asked: Asked) {
    const { accountId, id, renewal } = asked
    for (;;) {
      const { credentials, sealed: before } = yield* current(id, accountId)
      if (Redacted.value(credentials) !== renewal.expired) {
        return void Deferred.doneUnsafe(renewal.result, Exit.succeed(credentials))
      }
      const since = yield* moment
      const held = Option.getOrUndefined(yield* lease.take({ id, before }))
      if (held === undefined) yield* Effect.sleep(lookInterval)
      else if (longestTime(since, yield* moment) < beginsWithin) {
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
          // A success has completed `result` earlier.
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
      // No yield since the check for a running renewal, so no other fiber has begun one.
      running.set(id, renewal)
      yield* begin({ id, accountId, renewal, renew })
    }
    // A stopping process waits for its callers, and so for the platform's response.
    return yield* awaitWithGrace(Deferred.await(renewal.result), renewalGrace)
  }, Effect.uninterruptible)

  const awaitStored = Effect.suspend(() => {
    const left = [...running].filter(([id]) => isUnstored(id))
    const ended = Effect.forEach(left, ([, renewal]) => Deferred.await(renewal.ended), { concurrency: "unbounded" })
    return left.length === 0 ? Effect.void : withLimit(renewalGrace)(ended)
  })

  return {
    /** Returns the renewed credentials if they are not stored yet. */
    open,
    current,
    refreshCredentials,
    takeUnwanted: Effect.sync(() => {
      const taken = unwanted
      unwanted = []
      return taken
    }),
    /** Waits briefly until all renewals are stored: only this process has them. */
    awaitStored
  }
}
