import { Effect, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"

/** The random values of one OAuth 2.0 authorization with PKCE. Each is used once. */
interface ConsentRequest {
  /** Prevents CSRF: the platform sends it back with the code, and it has to be the same. */
  readonly state: string
  /** Stays here until the code is exchanged. */
  readonly verifier: Redacted.Redacted
  /** The verifier's hash, which the platform gets first. */
  readonly challenge: string
}

export const makeConsentRequest = Effect.fn("makeConsentRequest")(function* () {
  const random = yield* SecureRandom.SecureRandom
  const digest = yield* Digest.Digest
  const state = Base64Url.encode(yield* random.randomBytes(24))
  const verifier = Base64Url.encode(yield* random.randomBytes(48))
  const challenge = yield* digest.digest(Digest.sha256, new TextEncoder().encode(verifier))
  return {
    state,
    verifier: Redacted.make(verifier),
    challenge: Base64Url.encode(challenge)
  } satisfies ConsentRequest
})
