import { assert } from "@effect/vitest"
import type { Prng } from "../prng.ts"
import {
  endLease,
  markNeedsReconnect,
  readCredentials,
  reconnect,
  refreshCredentials,
  renew,
  replaceAccount
} from "./accountOperations.ts"
import type { Draw, Operation } from "./operation.ts"
import { createPost, publishPost, readPost, removePost, updatePost } from "./postOperations.ts"
import {
  leaveUnknown,
  publishPart,
  reject,
  resolve,
  settle,
  settleBatch,
  settleInFailingTransaction
} from "./settleOperations.ts"
import {
  abandon,
  beginSend,
  beginSends,
  claimDue,
  nextDue,
  publishedByOthers,
  publishedWithText,
  release,
  unresolvedOthers,
  withdraw
} from "./targetOperations.ts"
import { abandonUpload, claimUploads, isHeld, orderUpload, releaseUpload, settleUpload } from "./uploadOperations.ts"

/**
 * The weight of each flow, and its operations. Single operations occur at any time; the other flows reach states that
 * single operations seldom reach.
 */
const flows: ReadonlyArray<readonly [number, ...ReadonlyArray<Draw>]> = [
  [12, createPost],
  [6, updatePost],
  [6, publishPost],
  [2, removePost],
  [1, readPost],
  [8, claimDue],
  [4, beginSend],
  [3, beginSends],
  [6, settle],
  [2, settleInFailingTransaction],
  [4, settleBatch],
  [2, resolve],
  [3, release],
  [2, abandon],
  [2, withdraw],
  [2, nextDue],
  [2, publishedByOthers],
  [2, unresolvedOthers],
  [2, publishedWithText],
  [6, claimUploads],
  [4, settleUpload],
  [2, releaseUpload],
  [1, abandonUpload],
  [1, isHeld],
  [2, orderUpload],
  [3, markNeedsReconnect],
  [2, reconnect],
  [1, replaceAccount],
  [1, readCredentials],
  [1, refreshCredentials],
  [3, renew],
  [1, endLease],
  [4, publishPost, claimDue, beginSend, settle],
  // A thread continues part by part.
  [4, publishPost, claimDue, beginSend, publishPart, claimDue, beginSend, publishPart, claimDue, settle],
  [3, publishPost, claimDue, beginSend, publishPart, claimDue, beginSend, leaveUnknown, resolve, publishPost, claimDue],
  [2, publishPost, claimDue, beginSend, leaveUnknown, publishPost, publishPart, claimDue, publishedByOthers],
  [2, publishPost, claimDue, beginSends, settleBatch],
  [4, publishPost, claimDue, beginSend, leaveUnknown, publishPost, claimDue, release, updatePost],
  [4, publishPost, claimDue, beginSend, reject, reject, publishPost],
  [2, publishPost, claimDue, beginSend, leaveUnknown, claimDue, unresolvedOthers],
  [4, publishPost, claimDue, beginSend, abandon, claimDue, settle, withdraw, claimDue],
  [3, claimUploads, settleUpload, claimDue, orderUpload],
  [2, claimUploads, abandonUpload, claimUploads, settleUpload]
]

const total = flows.reduce((sum, [weight]) => sum + weight, 0)

export const drawFlow = (prng: Prng): ReadonlyArray<Operation> => {
  let left = prng.between(1, total)
  for (const [weight, ...draws] of flows) {
    left -= weight
    if (left <= 0) return draws.map((draw) => draw(prng))
  }
  return assert.fail("A flow has a weight beyond the total")
}
