import { Cause, Effect, Predicate, Schedule } from "effect"
import type { ClaimLost, DatabaseUnavailable } from "../domain/errors.ts"
import type { Settlement } from "../domain/settlement.ts"
import { Notifier } from "../notifier/Notifier.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import { observeSettlement } from "./observed.ts"

/**
 * Writes what an attempt came to, and the notifications that follow from it, in one transaction. A claim that was lost
 * is another process's to settle.
 */
export const settleClaim = Effect.fn("settleClaim")(function* (claim: Claim, settlement: Settlement) {
  const repo = yield* Repo
  const notifier = yield* Notifier
  yield* repo.transaction(
    Effect.gen(function* () {
      const post = yield* repo.targets.settle(claim, settlement)
      yield* notifier.postSettled(post)
      if (settlement._tag !== "Failed" || settlement.error.code !== "needs_reconnect") return
      const { id, username, version } = claim.integration
      if (yield* repo.integrations.markNeedsReconnect(id, version)) {
        yield* notifier.integrationDisconnected(
          claim.workspaceId,
          { id, username, platform: claim.platform },
          settlement.error.message
        )
      }
    })
  )
  yield* observeSettlement(claim, settlement)
}, Effect.uninterruptible)

/** Keeps trying for about a minute while the database is away; after that the lease runs out and the target is looked for. */
export const retryWhileUnavailable = <A, E, R>(
  write: Effect.Effect<A, E | DatabaseUnavailable, R>
): Effect.Effect<A, E | DatabaseUnavailable, R> =>
  Effect.retry(write, {
    schedule: Schedule.spaced("1 second"),
    times: 60,
    while: Predicate.isTagged("DatabaseUnavailable")
  })

/** Logs why a claim could not be settled or given back; its lease will run out. */
export const abandonToLease = <R>(
  write: Effect.Effect<void, ClaimLost | DatabaseUnavailable, R>
): Effect.Effect<void, never, R> =>
  Effect.catch(write, (error) => Effect.logWarning("A claim is left until its lease runs out", Cause.fail(error)))
