import type { Event } from "./contract.ts"
import { isRecord, parse } from "./json.ts"

export interface VerifyOptions {
  /** The clocks may differ by this much; 300 by default. */
  readonly toleranceSeconds?: number | undefined
  /** In milliseconds since 1970; this machine's time by default. */
  readonly now?: number | undefined
}

export type WebhookErrorReason = "headers" | "timestamp" | "signature" | "body"

export class WebhookError extends Error {
  override readonly name = "WebhookError"
  readonly reason: WebhookErrorReason

  constructor(reason: WebhookErrorReason, message: string) {
    super(message)
    this.reason = reason
  }
}

export type WebhookHeaders = Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const readHeader = (headers: WebhookHeaders, name: string): string => {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const [value = "", ...more] = typeof found === "string" ? [found] : (found ?? [])
  if (more.length > 0) throw new WebhookError("headers", `The header ${name} is there ${more.length + 1} times`)
  if (value === "") throw new WebhookError("headers", `The header ${name} is missing`)
  return value
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** The shortest and longest secret in bytes (Standard Webhooks). */
const [fewest, most] = [24, 64]

/** Accepts a secret without its prefix, as libraries for Standard Webhooks do. */
const keyOf = async (secret: unknown) => {
  const bytes = typeof secret === "string" ? fromBase64(secret.replace(/^whsec_/, "")) : undefined
  if (bytes === undefined || bytes.length < fewest || bytes.length > most) {
    throw new TypeError(`A secret is whsec_ and base64 of ${fewest} to ${most} bytes`)
  }
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
}

/** Compares in constant time, wherever the bytes differ. */
const isEqual = (left: Uint8Array, right: Uint8Array): boolean => {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index++) difference |= (left[index] ?? 0) ^ (right[index] ?? 0)
  return difference === 0
}

const checkTime = (timestamp: string, { now = Date.now(), toleranceSeconds = 300 }: VerifyOptions) => {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  if (!(Math.abs(Math.floor(now / 1000) - seconds) <= toleranceSeconds)) {
    throw new WebhookError("timestamp", "The request is too old, or a clock is wrong")
  }
}

const concat = (head: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const start = new TextEncoder().encode(head)
  const whole = new Uint8Array(start.length + body.length)
  whole.set(start)
  whole.set(body, start.length)
  return whole
}

const isEvent = (value: unknown): value is Event => isRecord(value) && typeof value["type"] === "string"

/**
 * Verifies a request's signature, and returns its event. Pass the body as it arrived, not parsed. While one secret
 * replaces another, pass both. Throws a `WebhookError` if the request can't be trusted.
 */
export const verify = async (
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | ReadonlyArray<string>,
  options: VerifyOptions = {}
): Promise<Event> => {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  if (!(bytes instanceof Uint8Array)) throw new TypeError("The body has to be a text or bytes, as it arrived")
  const keys = await Promise.all((typeof secret === "string" ? [secret] : secret).map(keyOf))
  const id = readHeader(headers, "webhook-id")
  const timestamp = readHeader(headers, "webhook-timestamp")
  const signatures = readHeader(headers, "webhook-signature")
    .split(" ")
    .flatMap((signature) => (signature.startsWith("v1,") ? [fromBase64(signature.slice(3))] : []))
  checkTime(timestamp, options)
  const signed = concat(`${id}.${timestamp}.`, bytes)
  const expected = await Promise.all(keys.map((key) => crypto.subtle.sign("HMAC", key, signed)))
  const matches = expected.flatMap((one) =>
    signatures.filter((given) => given !== undefined && isEqual(new Uint8Array(one), given))
  )
  if (matches.length === 0) throw new WebhookError("signature", "No signature is of one of the secrets")
  const event = parse(new TextDecoder().decode(bytes))
  if (!isEvent(event)) throw new WebhookError("body", "The body is no event")
  return event
}
