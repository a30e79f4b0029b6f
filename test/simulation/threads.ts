import type { TargetRow } from "./rows.ts"

/** The platform's information on a post that it accepts. */
export interface AcceptedPost {
  readonly files: number
  /** The platform's ids of the root and the parent; null for a post that does not reply. */
  readonly reply: { readonly root: string; readonly parent: string } | null
}

/** Counted from 1. A post without a thread is its only part. */
export interface TargetPart {
  readonly targetId: TargetRow["id"]
  readonly part: number
}

/**
 * A change to a thread's target that must not happen; undefined for other changes. `length` is the length of its chain.
 */
export const brokenThread = (before: TargetRow | undefined, after: TargetRow, length: number): string | undefined => {
  const { part, parts, status } = after
  const out = parts?.length ?? 0
  const known = before?.parts ?? []
  if (known.some((each, index) => parts?.[index]?.id !== each.id)) return "forgets a part that is out"
  if (out > known.length + 1) return "has two more parts out at once"
  if (part < (before?.part ?? 1)) return `goes back to part ${part}`
  if (length === 1) return parts === null && part === 1 ? undefined : "has parts without a thread"
  if (status === "published")
    return out === length && part === length ? undefined : `ends with ${out} of ${length} parts`
  return part === out + 1 && part <= length ? undefined : `stands at part ${part} of ${length} with ${out} out`
}

/** The platform's id of a post, from its URL or its record's URI. */
export const idInUrl = (url: string) => url.slice(Math.max(url.lastIndexOf("/"), url.lastIndexOf("=")) + 1)
