import { type DateTime, Redacted } from "effect"
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"

const secretPrefix = "whsec_"

/** The key that follows a secret's prefix, in base64. Node takes three times as long to sign with its bytes. */
export const signingKey = (secret: Redacted.Redacted): KeyObject =>
  createSecretKey(Redacted.value(secret).slice(secretPrefix.length), "base64")

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
 * for each key, so that a receiver can verify it by the one it knows while secrets are rotated.
 */
export const signatureHeaders = (keys: ReadonlyArray<KeyObject>, { at, body, id }: Message) => {
  const timestamp = String(Math.floor(at.epochMilliseconds / 1000))
  const signed = `${id}.${timestamp}.${body}`
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": keys.map((key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`).join(" ")
  }
}
