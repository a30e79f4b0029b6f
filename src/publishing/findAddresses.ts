import { DateTime, Duration, Effect, Layer, Option, Schedule } from "effect"
import { MediaFiles } from "../platforms/MediaFiles.ts"
import { PlatformClient } from "../platforms/PlatformClient.ts"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import type { AddressLook } from "../repo/targets/Targets.ts"
import { MayClaim } from "../worker/MayClaim.ts"
import { accountForClaim } from "./account.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { lease, prepareTimeout } from "./timing.ts"

/** The limits of a pass, and of concurrent requests. Other targets wait for the next pass. */
const maxPerPass = 200
const atOnce = 8

const look = Effect.fnUntraced(function* (target: AddressLook) {
  const { accountId, integration, platform, prepared, sentAt } = target
  const { findAddress } = (yield* PlatformClient)[platform]
  // Another account can't find the address, and no post waits for it.
  if (findAddress === undefined || !integration.connected || integration.accountId !== accountId) return
  const repo = yield* Repo
  const processLease = yield* ProcessLease
  // Access is renewed only under the lease, which may have ended during the pass.
  if (Option.isNone(yield* processLease.current)) return
  const leaseUntil = DateTime.addDuration(yield* DateTime.now, lease)
  const claimed = { ...target, leaseUntil, ownerId: null }
  const account = accountForClaim(claimed, repo, processLease, yield* MediaFiles)
  const found = yield* Effect.timeout(findAddress(prepared, account, sentAt), prepareTimeout)
  if (Option.isSome(found)) yield* repo.targets.storeAddress(target, found.value)
})

/**
 * Asks platforms for the addresses that publications lacked. If a look fails, it is repeated later, as if it had found
 * nothing.
 */
export const findAddresses = Effect.gen(function* () {
  const { targets } = yield* Repo
  const mayClaim = yield* MayClaim
  if (!(yield* mayClaim) || Option.isNone(yield* (yield* ProcessLease).right)) return
  const due = yield* targets.dueAddresses(maxPerPass)
  yield* Effect.forEach(due, (target) => bestEffort("The address of a post was not found")(look(target)), {
    concurrency: atOnce,
    discard: true
  })
}).pipe(bestEffort("Posts without an address were not found"))

export const findAddressesFiber = Layer.effectDiscard(
  Effect.forkScoped(Effect.repeat(findAddresses, Schedule.spaced(Duration.minutes(1))))
)
