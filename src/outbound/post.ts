import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { type Duration, Effect, Option, Stream } from "effect"
import type { Headers } from "effect/http"
import { readBytes } from "./body.ts"
import { makeGuardedConnector } from "./connector.ts"
import { decompress } from "./decompress.ts"
import { lost, type OutboundError, timedOut } from "./errors.ts"
import { makeExchange } from "./exchange.ts"
import { checkUrl, type OutboundPolicy } from "./policy.ts"
import { UserAgent } from "./userAgent.ts"

/** A small message. Mainly its response's status matters. */
export interface OutboundPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The time until the response's headers. */
  readonly timeout: Duration.Duration
  /** The most bytes of the response's body, after decompression. */
  readonly maxBytes: number
  readonly bodyTimeout: Duration.Duration
}

export interface OutboundPosted {
  readonly status: number
  readonly headers: Headers.Headers
  /** Empty if the body is late or can't be read. */
  readonly beginning: Uint8Array
}

const nothing = new Uint8Array(0)

const decoded = (bytes: Uint8Array, encoding: string | undefined, maxBytes: number) =>
  encoding === undefined || bytes.length === 0
    ? Effect.succeed(bytes)
    : Effect.orElseSucceed(readBytes(decompress(Stream.succeed(bytes), encoding), maxBytes), () => nothing)

/** Sends over persistent connections of its own. */
export const makePost = Effect.fnUntraced(function* (policy: OutboundPolicy) {
  const connect = yield* makeGuardedConnector(policy)
  const dispatcher = yield* NodeHttpClient.makeDispatcherOptions({ connect, allowH2: false })
  const agent = yield* UserAgent

  return Effect.fnUntraced(function* (post: OutboundPost): Effect.fn.Return<OutboundPosted, OutboundError> {
    const url = yield* Effect.fromResult(checkUrl(policy, post.url))
    const { head, received, rest, stop } = makeExchange(
      dispatcher,
      url,
      { method: "POST", headers: { ...post.headers, "user-agent": agent }, body: post.body },
      post.maxBytes
    )
    return yield* head((error) => lost(url.host, error)).pipe(
      Effect.timeoutOrElse({ duration: post.timeout, orElse: () => Effect.fail(timedOut(url.host, post.timeout)) }),
      Effect.andThen(() =>
        received.ending === undefined ? Effect.timeoutOption(rest, post.bodyTimeout) : Effect.succeedSome(undefined)
      ),
      Effect.flatMap((read) => {
        const { headers, status } = received
        const bytes = Option.isNone(read) ? nothing : received.bytes
        return Effect.map(decoded(bytes, headers["content-encoding"], post.maxBytes), (beginning) => ({
          status,
          headers,
          beginning
        }))
      }),
      Effect.ensuring(Effect.sync(stop))
    )
  })
})
