import { Effect, Layer, Schedule } from "effect"
import { AccountLinking } from "../platforms/AccountLinking.ts"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import { revokeAccess } from "./revokeAccess.ts"

/** How many accounts one round looks up. With a round each minute, a process looks up 28,800 accounts a day. */
const accountsPerRound = 20

/** Ends the access that was given to accounts that nobody decided on in time. */
const endExpiredChanges = Effect.gen(function* () {
  const { accountChanges } = yield* Repo
  for (const { account } of yield* accountChanges.takeExpired) {
    yield* bestEffort("Access to an account was not ended at its platform")(revokeAccess(account))
  }
})

/** Ends the access that was renewed for accounts while they were disconnected or replaced. */
const endUnwantedAccess = Effect.gen(function* () {
  const { integrations } = yield* Repo
  yield* Effect.forEach(yield* integrations.takeUnwanted, revokeAccess, { discard: true })
})

/**
 * Looks up how accounts are called now. It does so for those alone whose credentials were renewed lately, so that their access
 * token works and nothing has to be renewed for this: an account that does not publish costs no call, and a publish never waits for one.
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

/** What accounts need beside publishing. Several processes share it: each account and each change is taken by one of them. */
export const keepUpAccounts = Effect.all(
  [
    bestEffort("Expired account changes were not ended")(endExpiredChanges),
    bestEffort("Renewed access that nobody needs was not ended")(endUnwantedAccess),
    bestEffort("Profiles were not looked up")(refreshProfiles)
  ],
  { discard: true }
)

export const upkeepFiber = Layer.effectDiscard(
  Effect.forkScoped(Effect.repeat(keepUpAccounts, Schedule.spaced("1 minute")))
)
