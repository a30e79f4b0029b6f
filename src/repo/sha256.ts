import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { hash } from "node:crypto"

const utf8 = new TextEncoder()

/** Keys and tokens are stored only as this hash. */
export const makeSha256 = Effect.map(
  Digest.Digest,
  (digest) => (text: string) => digest.digest(Digest.sha256, utf8.encode(text))
)

/** Uses Node and not an effect, because every request looks up its key's hash. */
export const sha256Hex = (text: string): string => hash("sha256", text, "hex")
