import { type DateTime, Effect, Redacted } from "effect"
import { Mac } from "effect/crypto"
import { Base64 } from "effect/encoding"

const secretPrefix = "whsec_"

/** The key that a secret stands for: what follows its prefix, in base64. */
const keyOf = (secret: Redacted.Redacted) =>
  Effect.flatMap(
    Effect.orDie(Effect.fromResult(Base64.decode(Redacted.value(secret).slice(secretPrefix.length)))),
    (bytes) => Effect.orDie(Mac.key(Mac.hmacSha256, bytes))
  )

export interface Message {
  /** The event's id: the same at every attempt. */
  readonly id: string
  /** The exact bytes that are sent, as text. */
  readonly body: string
  /** When this attempt began. */
  readonly at: DateTime.Utc
}

/**
 * The headers of a message after Standard Webhooks 1.0.0: HMAC-SHA256 of the id, the time in Unix seconds and the body, once
 * for each secret, so that a receiver can verify it by the one it knows while secrets are rotated.
 */
export const signatureHeaders = Effect.fnUntraced(function* (
  secrets: ReadonlyArray<Redacted.Redacted>,
  { at, body, id }: Message
) {
  const mac = yield* Mac.Mac
  const timestamp = String(Math.floor(at.epochMilliseconds / 1000))
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signatures = yield* Effect.forEach(secrets, (secret) =>
    Effect.flatMap(keyOf(secret), (key) => Effect.orDie(mac.sign(key, signed)))
  )
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.map((signature) => `v1,${Base64.encode(signature)}`).join(" ")
  }
})
