import { Context, type Duration, Effect, Layer, type Scope, Stream } from "effect"
import { type Headers, HttpClient, HttpClientRequest } from "effect/http"
import { declaredLength, limitBody, readBytes, tooLong } from "./body.ts"
import { acceptedEncodings, decompress } from "./decompress.ts"
import { AddressRefused, lost, type OutboundError, timedOut, TooManyRedirects } from "./errors.ts"
import { GuardedHttpClient } from "./GuardedHttpClient.ts"
import { checkUrl, type OutboundPolicy } from "./policy.ts"
import { makePost, type OutboundPost, type OutboundPosted } from "./post.ts"
import { UserAgent } from "./userAgent.ts"

export interface OutboundRequest {
  readonly request: HttpClientRequest.HttpClientRequest
  /** The time until the response's headers, including redirects. */
  readonly timeout: Duration.Duration
  /** Bounds the body after decompression. */
  readonly maxBytes: number
  /** Redirects to follow by GET, each checked like the first address; none by default. */
  readonly maxRedirects?: number
  readonly http?: boolean
}

interface ResponseHead {
  readonly status: number
  readonly headers: Headers.Headers
  /** The final URL. */
  readonly url: string
}

export interface OutboundResponse extends ResponseHead {
  /** Fails with ResponseTooLong past `maxBytes`. The reader bounds the time. */
  readonly body: Stream.Stream<Uint8Array, OutboundError>
}

const redirects = new Set([301, 302, 303, 307, 308])

const within = <A, E, R>({ request, timeout }: OutboundRequest, effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: timeout,
    orElse: () => Effect.fail(timedOut(URL.parse(request.url)?.host ?? "The server", timeout))
  })

const make = Effect.fnUntraced(function* (loopback: boolean) {
  const client = HttpClient.withScope(yield* GuardedHttpClient)
  const agent = yield* UserAgent
  const post = yield* makePost({ http: false, anyPort: false, loopback })

  const send = Effect.fnUntraced(function* (
    options: OutboundRequest,
    request: HttpClientRequest.HttpClientRequest,
    redirectsLeft: number
  ): Effect.fn.Return<OutboundResponse, OutboundError, Scope.Scope> {
    const url = yield* Effect.fromResult(
      checkUrl({ http: options.http ?? false, anyPort: false, loopback }, request.url)
    )
    const response = yield* Effect.mapError(client.execute(request), (error) => lost(url.host, error))
    const { headers, status } = response
    const location = redirects.has(status) ? headers["location"] : undefined
    if (location !== undefined && redirectsLeft > 0) {
      const next = URL.parse(location, url.href)
      if (next === null) return yield* new AddressRefused({ message: `${url.host} redirects to no valid URL` })
      return yield* send(options, HttpClientRequest.setUrl(request, next.href), redirectsLeft - 1)
    }
    if (location !== undefined && (options.maxRedirects ?? 0) > 0) {
      return yield* new TooManyRedirects({ message: `${url.host} redirects too often` })
    }
    const body = decompress(
      Stream.mapError(response.stream, (error) => lost(url.host, error)),
      headers["content-encoding"]
    )
    return { status, headers, url: url.href, body }
  })

  const start = (options: OutboundRequest) =>
    send(
      options,
      HttpClientRequest.setHeaders(options.request, { "user-agent": agent, "accept-encoding": acceptedEncodings }),
      options.maxRedirects ?? 0
    ).pipe(
      // URLs can contain secrets, and the servers must get no trace headers.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )

  return Outbound.of({
    open: Effect.fn("Outbound.open")(function* (options) {
      const response = yield* within(options, start(options))
      if (declaredLength(response.headers) > options.maxBytes) return yield* tooLong(options.maxBytes)
      return { ...response, body: limitBody(response.body, options.maxBytes) }
    }),
    fetch: Effect.fn("Outbound.fetch")((options) =>
      within(
        options,
        Effect.flatMap(start(options), ({ body, ...head }) =>
          Effect.map(readBytes(body, options.maxBytes), (bytes) => ({ ...head, bytes }))
        )
      ).pipe(Effect.scoped)
    ),
    post
  })
})

/**
 * Requests to addresses that others chose: URLs in posts, in requests and of webhooks. Reaches only public addresses.
 * Bodies and times are bounded.
 */
export class Outbound extends Context.Service<
  Outbound,
  {
    /** Streams the response's body. The connection ends with the scope. */
    readonly open: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundError, Scope.Scope>
    /** Reads the first `maxBytes` of the body, all within the timeout. */
    readonly fetch: (
      request: OutboundRequest
    ) => Effect.Effect<ResponseHead & { readonly bytes: Uint8Array }, OutboundError>
    /** Over https, without redirects. Reads the beginning of the response. */
    readonly post: (post: OutboundPost) => Effect.Effect<OutboundPosted, OutboundError>
  }
>()("social-publisher/outbound/Outbound") {
  static readonly layer = ({ loopback }: Pick<OutboundPolicy, "loopback">): Layer.Layer<Outbound> =>
    Layer.effect(Outbound, make(loopback)).pipe(
      Layer.provide(GuardedHttpClient.layer({ http: true, anyPort: false, loopback }))
    )
}
