import { Effect, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"

/**
 * Single-use random values of an OAuth 2.0 authorization with PKCE. The platform has to return the state with the code,
 * which prevents CSRF. It first gets the challenge, a hash of the verifier, which stays here until the code is
 * exchanged.
 */
export const makeConsentRequest = Effect.fn("makeConsentRequest")(function* () {
  const random = yield* SecureRandom.SecureRandom
  const digest = yield* Digest.Digest
  const state = Base64Url.encode(yield* random.randomBytes(24))
  const verifier = Base64Url.encode(yield* random.randomBytes(48))
  const challenge = yield* digest.digest(Digest.sha256, new TextEncoder().encode(verifier))
  return { state, verifier: Redacted.make(verifier), challenge: Base64Url.encode(challenge) }
})
