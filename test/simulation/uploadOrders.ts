import { Duration } from "effect"
import { attemptWindow } from "../../src/domain/publishing/retryPolicy.ts"
import { threadMedia } from "../../src/domain/posts/thread.ts"
import { readStored } from "../../src/domain/publishing/storedUploads.ts"
import { uploadLead } from "../../src/domain/publishing/uploadPolicy.ts"
import type { Transaction } from "./memoryDatabase.ts"
import type { TargetRow } from "./rows.ts"
import { second } from "./world.ts"

const heldFor = Duration.toMillis(attemptWindow) + second

/** The due time of a target that waits for its upload, as in src/repo/posts/postMedia.ts. */
export const heldUntil = (time: number | null): number | null => (time === null ? null : time + heldFor)

/** The field is `prepared`, or `partUploads` if nothing is prepared. */
export const hasUploads = ({ partUploads, prepared }: TargetRow): boolean =>
  (partUploads !== null && prepared === null) || readStored(prepared).uploads !== null

/** Orders the uploads that a post's targets wait for, as src/repo/posts/postMedia.ts does. */
export const orderUploads = (
  open: Transaction,
  targets: ReadonlyArray<TargetRow>,
  now: number,
  goesOn: "now" | "at its time"
) => {
  for (const { dueSince, id, partUploads, postId, prepared, sentAt, status } of targets) {
    const post = open.posts.get(postId)
    const isAwaited = post !== undefined && threadMedia(post).length > 0 && status === "pending"
    if (!isAwaited || dueSince === null || sentAt !== null || prepared !== null || partUploads !== null) continue
    const before = open.uploads.get(id)
    if (before?.status === "uploading") continue
    const begun = before?.status === "waiting" ? before : undefined
    const waits = goesOn === "at its time" && begun !== undefined && (begun.uploaded !== null || begun.attempts > 0)
    open.uploads.put(id, {
      targetId: id,
      status: "waiting",
      attempts: waits ? begun.attempts : 0,
      nextAt: waits ? begun.nextAt : Math.max(dueSince - uploadLead * second, now),
      token: null,
      ownerId: null,
      leaseUntil: null,
      uploaded: begun?.uploaded ?? null,
      hasError: waits && begun.hasError
    })
  }
}

/** Restarts a target's upload for another account, or cancels it. Returns true if it restarts. */
export const restartUpload = (open: Transaction, target: TargetRow, isCanceled: boolean): boolean => {
  const upload = open.uploads.get(target.id)
  if (upload === undefined) return false
  if (isCanceled || target.dueSince === null) {
    cancelUploads(open, [target])
    return false
  }
  open.uploads.put(target.id, {
    ...upload,
    status: "waiting",
    attempts: 0,
    nextAt: target.dueSince - uploadLead * second,
    token: null,
    ownerId: null,
    leaseUntil: null,
    uploaded: null,
    hasError: false
  })
  return true
}

export const cancelUploads = (open: Transaction, targets: ReadonlyArray<TargetRow>) => {
  for (const { id } of targets) if (open.uploads.get(id) !== undefined) open.uploads.remove(id)
}
