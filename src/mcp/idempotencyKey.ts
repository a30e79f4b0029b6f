import { Effect, Predicate, Schema } from "effect"
import { createHash } from "node:crypto"
import type { KeyHolder } from "../domain/people/apiKey.ts"

/** Sorts keys at every depth, because a client may change their order when it repeats a call. */
export const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)])
  )
}

/**
 * The same for equal calls by the same API key. The keys before and after a rotation count as their oldest, because an
 * agent may repeat a call with either. The JSON-RPC id does not count, because a client that repeats a call after a
 * lost answer uses another.
 */
export const idempotencyKey = (
  { keyId, predecessors }: Pick<KeyHolder, "keyId" | "predecessors">,
  tool: string,
  args: unknown
): string =>
  `mcp-${createHash("sha256")
    .update([predecessors.at(-1) ?? keyId, tool, JSON.stringify(canonical(args))].join("\n"))
    .digest("hex")}`

const Occurrence = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))

/** Distinguishes an intended second call from a repetition. Leaving it out is the same as 1. */
export const occurrence = Occurrence.pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))

export const listedOccurrence = Schema.optionalKey(Occurrence).annotateKey({
  description:
    "1 by default. The same call within 24 hours has no second effect; to repeat it anyway, increase this number."
})
