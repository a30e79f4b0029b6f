import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { hash } from "node:crypto"

const utf8 = new TextEncoder()

/** The SHA-256 of a text. Secrets that are looked up, such as keys and tokens, are stored as this hash alone. */
export const makeSha256 = Effect.map(
  Digest.Digest,
  (digest) => (text: string) => digest.digest(Digest.sha256, utf8.encode(text))
)

/** The same in hexadecimal form. By Node, and not as an effect, because every request has a key whose hash is looked up. */
export const sha256Hex = (text: string): string => hash("sha256", text, "hex")
