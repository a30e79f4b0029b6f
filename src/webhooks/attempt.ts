import { Clock, DateTime, Duration, Effect, Option, Redacted } from "effect"
import type { Headers } from "effect/http"
import type { AttemptResult } from "../domain/webhooks/deliveryPolicy.ts"
import { maxLoggedResponse } from "../domain/webhooks/webhook.ts"
import { Outbound } from "../outbound/Outbound.ts"
import type { DeliveryClaim } from "../repo/webhooks/Webhooks.ts"
import { makeReceivers, type Receiver } from "./receivers.ts"
import { signatureHeaders } from "./sign.ts"

/** The timeout for the response's headers. */
export const attemptTimeout = Duration.seconds(15)

/** The timeout for the beginning of the response's body, which decides nothing. */
export const bodyTimeout = Duration.seconds(2)

/** In seconds. Longer than every wait that is honored, and still a valid time. */
const maxRetryAfter = 1_000_000_000

/** Reads seconds, or a time in the one format of HTTP that is not obsolete (RFC 9110, 5.6.7). */
const parseRetryAfter = (headers: Headers.Headers, now: DateTime.Utc): Duration.Duration | null => {
  const value = headers["retry-after"] ?? ""
  if (/^\d+$/.test(value)) return Duration.seconds(Math.min(Number(value), maxRetryAfter))
  const time = value.endsWith(" GMT") ? DateTime.make(value) : Option.none()
  return Option.match(time, {
    onNone: () => null,
    onSome: (at) => (DateTime.isGreaterThan(at, now) ? DateTime.distance(now, at) : null)
  })
}

const decoder = new TextDecoder()

/** Compact, so that a receiver which parses the body and stringifies it again still verifies the signature. */
const bodyOf = ({ createdAt, data, type }: DeliveryClaim): string =>
  JSON.stringify({ type, timestamp: DateTime.formatIso(createdAt), data })

/**
 * Sends a delivery once. Every failure of the receiver is a result. If no configured key decrypts the URL or secret,
 * the effect fails before anything is sent.
 */
export const makeAttempt = Effect.gen(function* () {
  const outbound = yield* Outbound
  const receiverOf = yield* makeReceivers

  const send = Effect.fnUntraced(function* (claim: DeliveryClaim, { keys, url }: Receiver) {
    const body = bodyOf(claim)
    const { beginning, headers, status } = yield* outbound.post({
      url: Redacted.value(url),
      headers: {
        "content-type": "application/json",
        ...signatureHeaders(keys, { id: claim.eventId, body, at: yield* DateTime.now })
      },
      body,
      timeout: attemptTimeout,
      maxBytes: maxLoggedResponse,
      bodyTimeout
    })
    return {
      status,
      error: null,
      response: beginning.length === 0 ? "" : decoder.decode(beginning),
      retryAfter: headers["retry-after"] === undefined ? null : parseRetryAfter(headers, yield* DateTime.now)
    }
  })

  return Effect.fn("attempt")(function* (claim: DeliveryClaim) {
    const receiver = yield* receiverOf(claim)
    const begun = yield* Clock.monotonicTimeNanos
    const sent = yield* Effect.catch(send(claim, receiver), ({ message }) =>
      Effect.succeed({ status: null, error: message, response: "", retryAfter: null })
    )
    const duration = Duration.nanos((yield* Clock.monotonicTimeNanos) - begun)
    return { ...sent, duration } satisfies AttemptResult
  })
})
