import { DateTime } from "effect"
import type { Publication } from "../../src/domain/publishing/platformError.ts"
import { recognizedByText } from "../../src/repo/targets/deletedTargets.ts"
import type { TargetRow } from "./rows.ts"

/** Adds a published part to a target's thread, as src/repo/targets/publishedParts.ts does. */
export const withPart = (
  { partIds, parts, platform }: TargetRow,
  { cid = null, platformPostId: id, url }: Publication,
  at: number
): Pick<TargetRow, "parts" | "partIds"> => {
  const isOwned = id !== null && recognizedByText.includes(platform)
  const time = DateTime.formatIso(DateTime.makeUnsafe(at))
  const before = parts?.at(-1)?.published_at ?? time
  return {
    parts: [...(parts ?? []), { id, cid, url, published_at: before > time ? before : time }],
    partIds: isOwned ? [...(partIds ?? []), id] : partIds
  }
}

/** A target at its next part, for which nothing was done yet. */
export const atNextPart = ({ part, partUploads }: TargetRow) => {
  const { [String(part + 1)]: uploads, ...later } = partUploads ?? {}
  return {
    part: part + 1,
    partUploads: partUploads === null ? null : later,
    prepared: uploads === undefined ? null : { _tag: "Uploads", uploads },
    attempts: 0,
    reconcileAttempts: 0,
    sentAt: null,
    sendToken: null,
    processingSince: null,
    resendOrdered: false
  } satisfies Partial<TargetRow>
}
