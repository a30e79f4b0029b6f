import { Effect, type Redacted, Struct } from "effect"
import type { KeyObject } from "node:crypto"
import { Repo } from "../repo/Repo.ts"
import type { DeliveryClaim } from "../repo/webhooks/Webhooks.ts"
import { signingKey } from "./sign.ts"

/** Cached receivers; the one that was decrypted first is dropped first. */
const maxKept = 1000

export interface Receiver {
  readonly url: Redacted.Redacted
  /** Two while a replaced secret still signs. */
  readonly keys: ReadonlyArray<KeyObject>
}

/** The part of a claim that shows if its webhook changed. */
type Stored = Pick<DeliveryClaim, "urlMark" | "secret" | "formerSecret">

interface Kept {
  readonly stored: Stored
  readonly receiver: Receiver
}

const isSame = (one: Uint8Array | null, other: Uint8Array | null): boolean =>
  one === null || other === null ? one === other : Buffer.compare(one, other) === 0

const isSameReceiver = (one: Stored, other: Stored): boolean =>
  one.urlMark === other.urlMark && isSame(one.secret, other.secret) && isSame(one.formerSecret, other.formerSecret)

/**
 * Decrypts a webhook's URL and secrets at first use and after each change. A cached receiver is used only for claims
 * with the same stored values.
 */
export const makeReceivers = Effect.gen(function* () {
  const { webhooks } = yield* Repo
  const all = new Map<string, Kept>()

  const open = Effect.fnUntraced(function* (claim: DeliveryClaim) {
    const { secrets, url } = yield* webhooks.open(claim)
    const receiver: Receiver = { url, keys: secrets.map(signingKey) }
    all.delete(claim.webhookId)
    const [oldest] = all.keys()
    if (all.size >= maxKept && oldest !== undefined) all.delete(oldest)
    all.set(claim.webhookId, { stored: Struct.pick(claim, ["urlMark", "secret", "formerSecret"]), receiver })
    return receiver
  })

  return (claim: DeliveryClaim) => {
    const kept = all.get(claim.webhookId)
    return kept !== undefined && isSameReceiver(kept.stored, claim) ? Effect.succeed(kept.receiver) : open(claim)
  }
})
