import { type DateTime, Redacted } from "effect"
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"

const secretPrefix = "whsec_"

/** Makes a KeyObject, because signing with bytes takes Node three times as long. */
export const signingKey = (secret: Redacted.Redacted): KeyObject =>
  createSecretKey(Redacted.value(secret).slice(secretPrefix.length), "base64")

export interface Message {
  /** The event's id: the same at every attempt. */
  readonly id: string
  readonly body: string
  readonly at: DateTime.Utc
}

/**
 * Standard Webhooks 1.0.0: HMAC-SHA256 of the id, the time in Unix seconds and the body. One signature per key, so that
 * receivers can verify during a rotation.
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
