import { Data, Duration, Effect, Option, Schema, Stream } from "effect"
import {
  type Headers,
  HttpClient,
  type HttpClientError,
  type HttpClientRequest,
  type HttpClientResponse
} from "effect/http"
import { failureCode, isNotSent } from "./notSent.ts"

/** How long one call to a platform may take, its answer's body included. */
export const callTimeout = Duration.seconds(20)

/**
 * The longest that preparing, publishing or reconciling takes: a call, a renewal of credentials, the call again, and a
 * look at the timeline. A claim's lease has to be longer, by what the database takes.
 */
export const maxOperationTime = Duration.times(callTimeout, 4)

const mostBytes = 2 * 1024 * 1024

/** What a platform answered, whatever its status. */
export interface PlatformResponse {
  readonly status: number
  readonly headers: Headers.Headers
  /** Null where it broke off or was too long to be read. */
  readonly body: string | null
}

/** The platform did not answer. */
export class NoResponse extends Data.TaggedError("NoResponse")<{
  readonly message: string
  /** Whether the request may have reached the platform, so that it may have been carried out. */
  readonly maybeSent: boolean
}> {}

/** Sends one request, once, and reads the answer. */
export type Call = (request: HttpClientRequest.HttpClientRequest) => Effect.Effect<PlatformResponse, NoResponse>

const readBody = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<string | null> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    let text = ""
    let size = 0
    const append = (chunk: Uint8Array) =>
      Effect.suspend(() => {
        size += chunk.byteLength
        if (size > mostBytes) return Effect.fail("too long")
        text += decoder.decode(chunk, { stream: true })
        return Effect.void
      })
    return Stream.runForEach(response.stream, append).pipe(
      Effect.map(() => text + decoder.decode()),
      Effect.orElseSucceed(() => null)
    )
  })

/** An error can repeat what was sent; what it says is shown to people, so the token is taken out of it. */
const withoutToken = (request: HttpClientRequest.HttpClientRequest, answer: PlatformResponse): PlatformResponse => {
  const token = request.headers["authorization"]?.replace(/^\w+ /, "") ?? ""
  return answer.status < 400 || answer.body === null || token === ""
    ? answer
    : { ...answer, body: answer.body.replaceAll(token, "…") }
}

const explain = (platform: string, error: HttpClientError.HttpClientError): NoResponse => {
  const { reason } = error
  if (reason._tag !== "TransportError") {
    return new NoResponse({
      message: `${platform} could not be asked: the request could not be made`,
      maybeSent: false
    })
  }
  const code = failureCode(reason.cause)
  const why = code === undefined ? "" : ` (${code})`
  return isNotSent(reason.cause)
    ? new NoResponse({ message: `${platform} could not be reached${why}`, maybeSent: false })
    : new NoResponse({ message: `The connection to ${platform} was lost before it answered${why}`, maybeSent: true })
}

/** Makes the way to call a platform, which is named in what goes wrong. It never repeats a request by itself. */
export const makeCall =
  (client: HttpClient.HttpClient, platform: string): Call =>
  (request) =>
    client.execute(request).pipe(
      Effect.mapError((error) => explain(platform, error)),
      Effect.flatMap((response) =>
        Effect.map(readBody(response), (body) =>
          withoutToken(request, { status: response.status, headers: response.headers, body })
        )
      ),
      Effect.timeoutOrElse({
        duration: callTimeout,
        orElse: () =>
          Effect.fail(
            new NoResponse({
              message: `${platform} did not answer within ${Duration.toSeconds(callTimeout)} seconds`,
              maybeSent: true
            })
          )
      }),
      // Trace headers are for our own services.
      Effect.provideService(HttpClient.TracerPropagationEnabled, false)
    )

/** Reads an answer's JSON; none where it is not what it should be. */
export const readResponse = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.toCodecJson(schema)))
  return (answer: PlatformResponse): Option.Option<S["Type"]> =>
    answer.body === null ? Option.none() : decode(answer.body)
}
