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

export const makeTokens = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const sha256 = yield* makeSha256
  return {
    nextToken: Effect.map(random.randomBytes(tokenLength), (bytes) => Redacted.make(Base64Url.encode(bytes))),
    hashToken: (token: Redacted.Redacted) => sha256(Redacted.value(token))
  }
})

/** Node's synchronous hash, because every request looks up its key's hash. */
export const sha256Hex = (text: string): string => hash("sha256", text, "hex")
