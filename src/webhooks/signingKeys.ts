import { Effect } from "effect"
import type { KeyObject } from "node:crypto"
import { Repo } from "../repo/Repo.ts"
import type { DeliveryClaim } from "../repo/webhooks/Webhooks.ts"
import { signingKey } from "./sign.ts"

/** How many webhooks' keys are kept, which are those that were used last. */
const maxKept = 1000

/** One, or two while a secret that was replaced still signs. */
export type SigningKeys = ReadonlyArray<KeyObject>

interface Kept {
  readonly sealed: ReadonlyArray<Uint8Array>
  readonly keys: SigningKeys
}

const isSame = (kept: Kept, sealed: ReadonlyArray<Uint8Array>): boolean =>
  kept.sealed.length === sealed.length &&
  kept.sealed.every((bytes, index) => Buffer.compare(bytes, sealed[index] ?? new Uint8Array()) === 0)

/**
 * The keys that sign a webhook's deliveries. Its secrets are decrypted when they are first used and whenever they have changed:
 * what is kept belongs to the encrypted secrets that a claim has brought along.
 */
export const makeSigningKeys = Effect.gen(function* () {
  const { webhooks } = yield* Repo
  const all = new Map<string, Kept>()

  const open = Effect.fnUntraced(function* (claim: DeliveryClaim, sealed: ReadonlyArray<Uint8Array>) {
    const keys = (yield* webhooks.openSecrets(claim)).map(signingKey)
    all.delete(claim.webhookId)
    const [oldest] = all.keys()
    if (all.size >= maxKept && oldest !== undefined) all.delete(oldest)
    all.set(claim.webhookId, { sealed, keys })
    return keys
  })

  return (claim: DeliveryClaim) => {
    const sealed = claim.formerSecret === null ? [claim.secret] : [claim.secret, claim.formerSecret]
    const kept = all.get(claim.webhookId)
    return kept !== undefined && isSame(kept, sealed) ? Effect.succeed(kept.keys) : open(claim, sealed)
  }
})
