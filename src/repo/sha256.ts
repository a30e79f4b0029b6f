import { Effect } from "effect"
import { Digest } from "effect/crypto"

/** The SHA-256 of a text. Secrets that are looked up, such as keys and tokens, are stored as this hash alone. */
export const makeSha256 = Effect.map(
  Digest.Digest,
  (digest) => (text: string) => digest.digest(Digest.sha256, new TextEncoder().encode(text))
)
