import { Effect, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { hash } from "node:crypto"

const utf8 = new TextEncoder()

/** Keys and tokens are stored only as this hash. */
export const makeSha256 = Effect.map(
  Digest.Digest,
  (digest) => (text: string) => digest.digest(Digest.sha256, utf8.encode(text))
)

const tokenLength = 32

/** Tokens for sessions and links. */
export const makeTokens = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const sha256 = yield* makeSha256
  return {
    nextToken: Effect.map(random.randomBytes(tokenLength), (bytes) => Redacted.make(Base64Url.encode(bytes))),
    hashToken: (token: Redacted.Redacted) => sha256(Redacted.value(token))
  }
})

/** Every request looks up its key's hash, so this is Node's, not an effect. */
export const sha256Hex = (text: string): string => hash("sha256", text, "hex")
