import { Effect, Semaphore } from "effect"
import { singlesAtOnce } from "../batchBounds.ts"
import { makeAddresses } from "./addresses.ts"
import { makeBacklog } from "./backlog.ts"
import { makeBeginSend } from "./beginSend.ts"
import { makeClaim } from "./claim.ts"
import { makeDeletedTargets } from "./deletedTargets.ts"
import { type DueHere, makeListen } from "./dueChannel.ts"
import { makeNextDue } from "./nextDue.ts"
import { makeOtherTargets } from "./otherTargets.ts"
import { makeRelease } from "./release.ts"
import { makeResolve } from "./resolve.ts"
import { makeSettle } from "./settle.ts"
import type { Targets } from "./Targets.ts"

export const makeTargets = Effect.fnUntraced(function* (dueHere: DueHere) {
  /** Bounds writes that hold a connection while they wait for a locked row. */
  const lockWaits = yield* Semaphore.make(singlesAtOnce)

  return {
    ...(yield* makeClaim),
    ...(yield* makeBeginSend(lockWaits)),
    ...(yield* makeSettle),
    resolve: yield* makeResolve,
    ...(yield* makeRelease(lockWaits)),
    ...(yield* makeNextDue),
    ...(yield* makeBacklog),
    ...(yield* makeAddresses),
    ...(yield* makeOtherTargets),
    ...(yield* makeDeletedTargets),
    ...(yield* makeListen(dueHere))
  } satisfies Targets
})
