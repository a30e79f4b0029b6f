import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { Dispatcher } from "@effect/platform-node/Undici"
import { type Duration, Effect, Option, Stream } from "effect"
import { Headers } from "effect/http"
import { readBytes } from "./body.ts"
import { makeGuardedConnector } from "./connector.ts"
import { decompress } from "./decompress.ts"
import { lost, type OutboundError, timedOut, Unreachable } from "./errors.ts"
import { checkUrl, type OutboundPolicy } from "./policy.ts"
import { UserAgent } from "./userAgent.ts"

/** A small message to an address that others chose, whose response matters by its status. */
export interface OutboundPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Until the response's headers are there. */
  readonly timeout: Duration.Duration
  /** How many bytes of the response's body are kept, after it is decompressed; what comes after them is not read. */
  readonly maxBytes: number
  /** How long the body is waited for. */
  readonly bodyTimeout: Duration.Duration
}

export interface OutboundPosted {
  readonly status: number
  readonly headers: Headers.Headers
  /** The first bytes of the body. Empty where they don't come in time or can't be read. */
  readonly beginning: Uint8Array
}

/** What has come of a response. */
interface Exchange {
  status: number
  headers: Headers.Headers
  readonly chunks: Array<Uint8Array>
  size: number
  /** Whether nothing more is to come, or needed. */
  done: boolean
}

const nothing = new Uint8Array(0)

/** Not thrown, so its stack helps nobody, and making one for each response would cost more than sending. */
const stopped = new Unreachable({ message: "The request was given up" })

/** One request. `head` ends with the headers of the response, `body` when there is nothing more to read, and `stop` closes it. */
const makeExchange = (dispatcher: Dispatcher, host: string, options: Dispatcher.DispatchOptions, maxBytes: number) => {
  const exchange: Exchange = { status: 0, headers: Headers.empty, chunks: [], size: 0, done: false }
  let controller: Dispatcher.DispatchController | undefined
  let stops = false
  let onHead: ((error?: unknown) => void) | undefined
  let onDone: (() => void) | undefined

  const end = () => {
    exchange.done = true
    onDone?.()
  }
  const stop = () => {
    if (exchange.done) return
    stops = true
    exchange.done = true
    controller?.abort(stopped)
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (started) => {
      controller = started
      if (stops) started.abort(stopped)
    },
    onResponseStart: (_, status, headers) => {
      if (status < 200) return
      exchange.status = status
      exchange.headers = Headers.fromInput(headers)
      // A short body has come with the headers, and is there by then.
      queueMicrotask(() => onHead?.())
    },
    onResponseData: (_, chunk) => {
      if (exchange.done) return
      exchange.chunks.push(chunk.subarray(0, maxBytes - exchange.size))
      exchange.size += chunk.byteLength
      if (exchange.size < maxBytes) return
      stop()
      onDone?.()
    },
    onResponseEnd: end,
    onResponseError: (_, error) => {
      end()
      if (exchange.status === 0) onHead?.(error)
    }
  }

  const head = Effect.callback<void, OutboundError>((resume) => {
    onHead = (error) => resume(error === undefined ? Effect.void : Effect.fail(lost(host, error)))
    try {
      dispatcher.dispatch(options, handler)
    } catch (error) {
      exchange.done = true
      resume(Effect.fail(lost(host, error)))
    }
  })
  const body = Effect.callback<void>((resume) => {
    onDone = () => resume(Effect.void)
    if (exchange.done) onDone()
  })
  return { exchange, head, body, stop }
}

const decoded = (bytes: Uint8Array, encoding: string | undefined, maxBytes: number) =>
  encoding === undefined || bytes.length === 0
    ? Effect.succeed(bytes)
    : Effect.orElseSucceed(readBytes(decompress(Stream.succeed(bytes), encoding), maxBytes), () => nothing)

/**
 * Sends by undici's dispatcher itself, with its own connections, which are kept. The layers of the HTTP client above it, with
 * a stream for each body, cost several times what signing and sending a small message does. It checks the URL, and the
 * connector each address, as for other requests.
 */
export const makePost = Effect.fnUntraced(function* (policy: OutboundPolicy) {
  const connect = yield* makeGuardedConnector(policy)
  const dispatcher = yield* NodeHttpClient.makeDispatcherOptions({ connect, allowH2: false })
  const agent = yield* UserAgent

  return Effect.fnUntraced(function* (post: OutboundPost): Effect.fn.Return<OutboundPosted, OutboundError> {
    const url = yield* Effect.fromResult(checkUrl(policy, post.url))
    const { body, exchange, head, stop } = makeExchange(
      dispatcher,
      url.host,
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: "POST",
        headers: { ...post.headers, "user-agent": agent },
        body: post.body,
        // Those below are for both; undici's own go by another clock.
        headersTimeout: 0,
        bodyTimeout: 0
      },
      post.maxBytes
    )
    return yield* head.pipe(
      Effect.timeoutOrElse({
        duration: post.timeout,
        orElse: () => Effect.fail(timedOut(url.host, post.timeout))
      }),
      Effect.andThen(
        Effect.suspend(() =>
          exchange.done ? Effect.succeedSome(undefined) : Effect.timeoutOption(body, post.bodyTimeout)
        )
      ),
      Effect.flatMap((read) => {
        const { chunks, headers, status } = exchange
        const [first = nothing] = chunks
        const bytes = Option.isNone(read) ? nothing : chunks.length <= 1 ? first : Buffer.concat(chunks)
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
