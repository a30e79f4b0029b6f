import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { hash } from "node:crypto"

const utf8 = new TextEncoder()

/** Keys and tokens are stored only as this hash. */
export const makeSha256 = Effect.map(
  Digest.Digest,
  (digest) => (text: string) => digest.digest(Digest.sha256, utf8.encode(text))
)

/** Every request looks up its key's hash, so this is Node's, not an effect. */
export const sha256Hex = (text: string): string => hash("sha256", text, "hex")
