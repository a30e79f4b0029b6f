import { Clock, DateTime, Duration, Effect, Option, type Stream } from "effect"
import { type Headers, HttpClientRequest } from "effect/http"
import type { AttemptResult } from "../domain/deliveryPolicy.ts"
import { maxLoggedResponse } from "../domain/webhook.ts"
import { readBytes } from "../outbound/body.ts"
import { Outbound } from "../outbound/Outbound.ts"
import { Repo } from "../repo/Repo.ts"
import type { DeliveryClaim } from "../repo/webhooks/Webhooks.ts"
import { signatureHeaders } from "./sign.ts"

/** How long a receiver may take to respond. */
export const attemptTimeout = Duration.seconds(15)

/** How long the beginning of the response's body is waited for, which does not decide anything. */
export const bodyTimeout = Duration.seconds(2)

/** A Retry-After header: in seconds, or a time in the one format of HTTP that is not obsolete (RFC 9110, 5.6.7). */
const parseRetryAfter = (headers: Headers.Headers, now: DateTime.Utc): Duration.Duration | null => {
  const value = headers["retry-after"] ?? ""
  if (/^\d{1,9}$/.test(value)) return Duration.seconds(Number(value))
  const time = value.endsWith(" GMT") ? DateTime.make(value) : Option.none()
  return Option.match(time, {
    onNone: () => null,
    onSome: (at) => (DateTime.isGreaterThan(at, now) ? DateTime.distance(now, at) : null)
  })
}

const readBody = <E>(body: Stream.Stream<Uint8Array, E>) =>
  readBytes(body, maxLoggedResponse).pipe(
    Effect.map((bytes) => new TextDecoder().decode(bytes)),
    Effect.timeoutOption(bodyTimeout),
    Effect.orElseSucceed(() => Option.none<string>()),
    Effect.map(Option.getOrElse(() => ""))
  )

const send = Effect.fnUntraced(function* (claim: DeliveryClaim) {
  const { webhooks } = yield* Repo
  const outbound = yield* Outbound
  const secrets = yield* webhooks.openSecrets(claim)
  const at = yield* DateTime.now
  const { createdAt, data, eventId: id, type, url } = claim
  const body = JSON.stringify({ type, timestamp: DateTime.formatIso(createdAt), data })
  const request = HttpClientRequest.post(url).pipe(
    HttpClientRequest.bodyText(body, "application/json"),
    HttpClientRequest.setHeaders(signatureHeaders(secrets, { id, body, at }))
  )
  const response = yield* outbound.open({ request, timeout: attemptTimeout, maxBytes: Number.MAX_SAFE_INTEGER })
  return {
    status: response.status,
    error: null,
    response: yield* readBody(response.body),
    retryAfter: parseRetryAfter(response.headers, yield* DateTime.now)
  }
}, Effect.scoped)

/** Sends a delivery once. Every way in which that can fail is a result. */
export const attempt = Effect.fn("attempt")(function* (claim: DeliveryClaim) {
  const begun = yield* Clock.monotonicTimeNanos
  const sent = yield* Effect.catch(send(claim), ({ message }) =>
    Effect.succeed({ status: null, error: message, response: "", retryAfter: null })
  )
  const duration = Duration.nanos((yield* Clock.monotonicTimeNanos) - begun)
  return { ...sent, duration } satisfies AttemptResult
})
