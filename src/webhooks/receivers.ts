import { Effect, type Redacted, Struct } from "effect"
import type { KeyObject } from "node:crypto"
import { Repo } from "../repo/Repo.ts"
import type { DeliveryClaim } from "../repo/webhooks/Webhooks.ts"
import { signingKey } from "./sign.ts"

/** How many webhooks' receivers are kept, which are those that were decrypted last. */
const maxKept = 1000

/** Where a webhook's deliveries go, and what signs them. */
export interface Receiver {
  readonly url: Redacted.Redacted
  /** One, or two while a secret that was replaced still signs. */
  readonly keys: ReadonlyArray<KeyObject>
}

/** What a claim brings along of its webhook, by which it is told whether that has changed. */
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
 * The receivers of deliveries. A webhook's URL and secrets are decrypted when they are first used and whenever they have
 * changed: what is kept belongs to what a claim has brought along.
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
