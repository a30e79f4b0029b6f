import { createHash } from "node:crypto"
import type { ApiKeyId } from "../domain/ids.ts"
import { canonical } from "./canonical.ts"

/** The same for the same call by the same key. A client that repeats a call after a lost answer uses another id. */
export const idempotencyKey = (keyId: ApiKeyId, tool: string, args: unknown): string =>
  `mcp-${createHash("sha256")
    .update([keyId, tool, JSON.stringify(canonical(args))].join("\n"))
    .digest("hex")}`
