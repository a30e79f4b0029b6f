import { Context, Data, Duration, Effect, Option, Predicate, type Result, Schema } from "effect"
import { type Headers, HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { readBytes } from "../outbound/body.ts"
import { explainFailure, refusalIn } from "../outbound/errors.ts"
import { UserAgent } from "../outbound/userAgent.ts"
import { jsonReader } from "./json.ts"

/** For the request and its whole response. */
export const callTimeout = Duration.seconds(20)

export const CallTimeout = Context.Reference("social-publisher/platforms/CallTimeout", {
  defaultValue: () => callTimeout
})

/**
 * The limit for preparing, publishing or reconciling: a call, a renewal of credentials, the call again, and a read of
 * the timeline. A longer search, over several pages, is cut off and repeated. A claim's lease adds the database's time.
 */
export const maxOperationTime = Duration.times(callTimeout, 4)

export const maxBodyBytes = 2 * 1024 * 1024

export interface PlatformResponse {
  readonly status: number
  readonly headers: Headers.Headers
  /** Null if it was cut off or longer than 2 MiB. */
  readonly body: string | null
}

export class NoResponse extends Data.TaggedError("NoResponse")<{
  readonly message: string
  /** True if the request may have been carried out. */
  readonly maybeSent: boolean
  /** For the person who chose the address: the reason why nothing was sent. */
  readonly refusal?: string
}> {}

export class TimedOut extends Data.TaggedError("TimedOut") {}

export type Exchange = (
  request: HttpClientRequest.HttpClientRequest,
  time: Duration.Duration
) => Effect.Effect<PlatformResponse, HttpClientError.HttpClientError | TimedOut>

export type Call = (request: HttpClientRequest.HttpClientRequest) => Effect.Effect<PlatformResponse, NoResponse>

const decoder = new TextDecoder()

/** Reads one byte above the limit, which shows that a body is too long. */
const readBody = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<string | null> =>
  readBytes(response.stream, maxBodyBytes + 1).pipe(
    Effect.map((bytes) => (bytes.byteLength > maxBodyBytes ? null : decoder.decode(bytes))),
    Effect.orElseSucceed(() => null)
  )

/** An error response can repeat the token, and people see the response. */
const redactToken = (request: HttpClientRequest.HttpClientRequest, response: PlatformResponse): PlatformResponse => {
  if (response.status < 400 || response.body === null) return response
  const token = request.headers["authorization"]?.replace(/^\w+ /, "") ?? ""
  return token === "" ? response : { ...response, body: response.body.replaceAll(token, "…") }
}

/** Node's error codes for failed connections and certificates. */
const codesBeforeSending = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])
const callsBeforeSending = new Set(["connect", "getaddrinfo"])

/**
 * True if the error certainly precedes sending. A code alone proves nothing: a timeout or an unreachable host can also
 * end a connection that has carried the request.
 */
export const isNotSent = (cause: unknown): boolean => {
  if (Predicate.hasProperty(cause, "errors") && Array.isArray(cause.errors)) {
    return cause.errors.length > 0 && cause.errors.every(isNotSent)
  }
  if (Predicate.hasProperty(cause, "syscall") && Predicate.isString(cause.syscall)) {
    return callsBeforeSending.has(cause.syscall)
  }
  if (Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code)) return codesBeforeSending.has(cause.code)
  return Predicate.hasProperty(cause, "cause") && isNotSent(cause.cause)
}

const noResponse = (
  platform: string,
  time: Duration.Duration,
  error: HttpClientError.HttpClientError | TimedOut
): NoResponse => {
  if (error._tag === "TimedOut") {
    return new NoResponse({
      message: `${platform} did not answer within ${Duration.toSeconds(time)} seconds`,
      maybeSent: true
    })
  }
  const { reason } = error
  if (reason._tag !== "TransportError") {
    return new NoResponse({ message: `The request to ${platform} could not be created`, maybeSent: false })
  }
  const refusal = refusalIn(reason.cause)
  if (refusal !== undefined) {
    const message = `${platform} could not be reached: ${refusal.message}`
    return new NoResponse({ message, maybeSent: false, refusal: refusal.message })
  }
  const suffix = explainFailure(reason.cause)
  return isNotSent(reason.cause)
    ? new NoResponse({ message: `${platform} could not be reached${suffix}`, maybeSent: false })
    : new NoResponse({ message: `The connection to ${platform} was lost before it answered${suffix}`, maybeSent: true })
}

export type Answer = Result.Result<PlatformResponse, NoResponse>

/** Never retries. */
export const makeExchangeCall =
  (exchange: Exchange, platform: string): Call =>
  (request) =>
    Effect.contextWith((context: Context.Context<never>) => {
      const time = Context.get(context, CallTimeout)
      const named = HttpClientRequest.setHeader(request, "user-agent", Context.get(context, UserAgent))
      return Effect.mapBoth(exchange(named, time), {
        onFailure: (error) => noResponse(platform, time, error),
        onSuccess: (response) => redactToken(request, response)
      })
    })

export const makeCall = (client: HttpClient.HttpClient, platform: string): Call =>
  makeExchangeCall(
    (request, time) =>
      client.execute(request).pipe(
        Effect.flatMap((response) =>
          Effect.map(readBody(response), (body) => ({ status: response.status, headers: response.headers, body }))
        ),
        // No trace headers: they are for the operator's own services.
        Effect.provideService(HttpClient.TracerPropagationEnabled, false),
        Effect.timeoutOrElse({ duration: time, orElse: () => Effect.fail(new TimedOut()) })
      ),
    platform
  )

/** None if the body is missing or does not fit. */
export const readResponse = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const read = jsonReader(Schema.toCodecJson(schema))
  return (response: PlatformResponse): Option.Option<S["Type"]> =>
    response.body === null ? Option.none() : read(response.body)
}
