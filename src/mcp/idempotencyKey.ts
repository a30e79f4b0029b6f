import { Predicate } from "effect"
import { createHash } from "node:crypto"
import type { ApiKeyId } from "../domain/ids.ts"

/** JSON in one spelling: members by name, without those that are absent. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    Predicate.isObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : member
  )

/** The same for the same call by the same key: a client sends a call whose answer was lost with another id. */
export const idempotencyKey = (keyId: ApiKeyId, tool: string, args: unknown): string =>
  `mcp-${createHash("sha256")
    .update([keyId, tool, canonicalJson(args)].join("\n"))
    .digest("hex")}`
