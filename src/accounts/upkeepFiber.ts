import { DateTime, Effect, Layer, Schedule } from "effect"
import { Notifier } from "../notifier/Notifier.ts"
import { AccountLinking } from "../platforms/AccountLinking.ts"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import { revokeAccess } from "./revokeAccess.ts"

/** With one round per minute, a process looks up 28,800 accounts a day. */
const accountsPerRound = 20

const endExpiredChanges = Effect.gen(function* () {
  const { accountChanges } = yield* Repo
  for (const { account } of yield* accountChanges.takeExpired) {
    yield* bestEffort("Access to an account was not ended at its platform")(revokeAccess(account))
  }
})

/** Revokes access that was renewed for accounts while they were disconnected or replaced. */
const endUnwantedAccess = Effect.gen(function* () {
  const { integrations } = yield* Repo
  yield* Effect.forEach(yield* integrations.takeUnwanted, revokeAccess, { discard: true })
})

/**
 * Refreshes names and pictures of accounts whose credentials were renewed lately. Their access token still works, so
 * this renews nothing: an idle account costs no call, and no post waits for a renewal.
 */
const refreshProfiles = Effect.gen(function* () {
  const { profiles } = yield* Repo
  const { profile } = yield* AccountLinking
  for (const stale of yield* profiles.takeStale(accountsPerRound)) {
    yield* Effect.flatMap(profile(stale), (found) => profiles.store(stale, found)).pipe(
      bestEffort("A profile was not looked up")
    )
  }
})

const noticesPerRound = 100

/** Notifies workspaces 7 days and 1 day before access ends that the platform can't renew, each time by one process. */
const tellOfEndingAccess = Effect.gen(function* () {
  const { expiringAccess, transaction } = yield* Repo
  const { integrationsExpiring } = yield* Notifier
  const now = yield* DateTime.now
  yield* transaction(Effect.flatMap(expiringAccess.take(now, noticesPerRound), integrationsExpiring))
})

/** Each account and change is claimed by one process. */
export const keepUpAccounts = Effect.all(
  [
    bestEffort("Expired account changes were not ended")(endExpiredChanges),
    bestEffort("Renewed access that nobody needs was not ended")(endUnwantedAccess),
    bestEffort("Profiles were not looked up")(refreshProfiles),
    bestEffort("Nobody was told of access that ends")(tellOfEndingAccess)
  ],
  { discard: true }
)

export const upkeepFiber = Layer.effectDiscard(
  Effect.forkScoped(Effect.repeat(keepUpAccounts, Schedule.spaced("1 minute")))
)
