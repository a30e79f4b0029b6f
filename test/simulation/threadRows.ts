import { DateTime } from "effect"
import type { Publication } from "../../src/domain/publishing/platformError.ts"
import { recognizedByText } from "../../src/repo/targets/deletedTargets.ts"
import type { TargetRow } from "./rows.ts"

/** What is out of a target's thread, with one more part, as src/repo/targets/publishedParts.ts has it. */
export const withPart = (
  { partIds, parts, platform }: TargetRow,
  { cid = null, platformPostId: id, url }: Publication,
  at: number
): Pick<TargetRow, "parts" | "partIds"> => {
  const isOwned = id !== null && recognizedByText.includes(platform)
  return {
    parts: [...(parts ?? []), { id, cid, url, published_at: DateTime.formatIso(DateTime.makeUnsafe(at)) }],
    partIds: isOwned ? [...(partIds ?? []), id] : partIds
  }
}

/** A target whose current part is out, at the next one: as if nothing had been done for that. */
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
    resendOrdered: false
  } satisfies Partial<TargetRow>
}
