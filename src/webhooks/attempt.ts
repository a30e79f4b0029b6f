import { Clock, DateTime, Duration, Effect, Redacted } from "effect"
import type { AttemptResult } from "../domain/webhooks/deliveryPolicy.ts"
import { maxLoggedResponse } from "../domain/webhooks/webhook.ts"
import { Outbound } from "../outbound/Outbound.ts"
import { parseRetryAfter } from "../outbound/retryAfter.ts"
import type { DeliveryClaim } from "../repo/webhooks/Webhooks.ts"
import { makeReceivers, type Receiver } from "./receivers.ts"
import { signatureHeaders } from "./sign.ts"

/** The timeout for the response's headers. */
export const attemptTimeout = Duration.seconds(15)

/** The timeout for the beginning of the response's body, which decides nothing. */
export const bodyTimeout = Duration.seconds(2)

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
