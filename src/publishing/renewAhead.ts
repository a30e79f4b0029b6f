import { Duration, Effect, Layer, Option, Random, Result, Schedule } from "effect"
import { PlatformClient } from "../platforms/PlatformClient.ts"
import type { EndingAccess } from "../repo/integrations/endingAccess.ts"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import { MayClaim } from "../worker/MayClaim.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { Settlements } from "./Settlements.ts"

/** The limits of a pass, and of concurrent renewals. The next pass or the posts themselves renew the rest. */
const maxPerPass = 4_000
const atOnce = 64

/** If the platform refuses the renewal for good, the workspace is notified before its post fails. */
const renew = Effect.fnUntraced(function* (account: EndingAccess) {
  const { integrations } = yield* Repo
  const { accountId, endsBefore, id, platform, serviceUrl, username, version, workspaceId } = account
  const adapter = (yield* PlatformClient)[platform]
  const { requireReconnect } = yield* Settlements
  if (Option.isNone(yield* (yield* ProcessLease).current)) return
  const stale = yield* integrations.openCredentials(id, account.credentials)
  const renewed = yield* Effect.result(
    integrations.refreshCredentials(id, stale, adapter.renew({ accountId, serviceUrl }, stale), accountId)
  )
  if (Result.isSuccess(renewed)) return
  if (renewed.failure._tag !== "NeedsReauthorization" || !endsBefore) return yield* renewed.failure
  const integration = { id, accountId, username, version }
  yield* requireReconnect({ accountId, integration, platform, workspaceId }, renewed.failure.message)
})

/**
 * Renews access that ends before its account's next post, so that the post does not wait. Considers posts that are due
 * `within` this time. The next pass repeats failed renewals.
 */
export const renewAhead = Effect.fnUntraced(function* (within: Duration.Duration) {
  const { integrations } = yield* Repo
  const mayClaim = yield* MayClaim
  if (!(yield* mayClaim) || Option.isNone(yield* (yield* ProcessLease).right)) return
  const seed = yield* Random.nextIntBetween(0, 2 ** 31)
  const accounts = yield* integrations.endingAccess(within, maxPerPass, seed)
  yield* Effect.forEach(accounts, (account) => bestEffort("Access was not renewed ahead")(renew(account)), {
    concurrency: atOnce,
    discard: true
  })
}, bestEffort("Accounts whose access ends were not found"))

const passes = (within: Duration.Duration, pause: Duration.Duration) =>
  Layer.effectDiscard(Effect.forkScoped(Effect.repeat(renewAhead(within), Schedule.spaced(pause))))

/** The second pass is for imminent posts, which may have been scheduled just now. */
export const renewAheadFiber = Layer.merge(
  passes(Duration.minutes(15), Duration.minutes(1)),
  passes(Duration.minutes(1), Duration.seconds(10))
).pipe(Layer.provide(Settlements.layer))
