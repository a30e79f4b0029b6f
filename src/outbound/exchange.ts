import type { Dispatcher } from "@effect/platform-node/Undici"
import { Effect } from "effect"
import { Headers } from "effect/http"
import { Unreachable } from "./errors.ts"

class Received {
  status = 0
  headers = Headers.empty
  /** "cut" if the body reached the bound, or the connection was lost. */
  ending: "whole" | "cut" | undefined
  readonly chunks: Array<Uint8Array> = []

  get bytes(): Uint8Array {
    return this.chunks.length > 1 ? Buffer.concat(this.chunks) : (this.chunks[0] ?? new Uint8Array(0))
  }
}

/** Shared, because an error per response would cost more than sending. Never thrown, so its stack does not matter. */
const stopped = new Unreachable({ message: "The request was given up" })

/**
 * Sends one request once over undici's dispatcher. The HTTP client's layers, with a span, a stream and an
 * AbortController per request, cost several times as much as sending a small message.
 *
 * `begin` calls `onSuccess` at the response's headers or end, perhaps synchronously, or `onFailure` with undici's
 * error. `head` sends as an effect, and waits for the headers; `rest` then waits for the body's end. A body is cut off
 * after `maxBytes`. Interrupting `head`, or calling `stop`, aborts the request.
 */
export const makeExchange = (
  dispatcher: Dispatcher,
  url: URL,
  request: Pick<Dispatcher.DispatchOptions, "method" | "headers" | "body">,
  maxBytes: number
) => {
  const received = new Received()
  let size = 0
  let controller: Dispatcher.DispatchController | undefined
  let stops = false
  let onHead: (() => void) | undefined
  let onEnd: (() => void) | undefined
  let onError: ((error: unknown) => void) | undefined

  const stop = () => {
    if (received.ending !== undefined) return
    stops = true
    controller?.abort(stopped)
  }
  const end = (ending: "whole" | "cut") => {
    received.ending = ending
    onEnd?.()
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (started) => {
      controller = started
      if (stops) started.abort(stopped)
    },
    onResponseStart: (_, status, headers) => {
      if (status < 200) return
      received.status = status
      received.headers = Headers.fromInput(headers)
      onHead?.()
    },
    onResponseData: (_, chunk) => {
      if (stops) return
      const left = maxBytes - size
      received.chunks.push(chunk.byteLength > left ? chunk.subarray(0, left) : chunk)
      size += chunk.byteLength
      if (size >= maxBytes) stop()
    },
    onResponseEnd: () => end("whole"),
    onResponseError: (_, error) => {
      if (received.status === 0) onError?.(error)
      end("cut")
    }
  }

  /** If `until` is "end" and the connection fails before a response, both callbacks are called. */
  const begin = (until: "head" | "end", onSuccess: () => void, onFailure: (error: unknown) => void) => {
    // A short body comes with the headers, and has arrived once the microtask runs.
    if (until === "head") onHead = () => queueMicrotask(onSuccess)
    else onEnd = onSuccess
    onError = onFailure
    try {
      // The caller bounds the time: undici's own timeouts use another clock.
      dispatcher.dispatch(
        { ...request, origin: url.origin, path: url.pathname + url.search, headersTimeout: 0, bodyTimeout: 0 },
        handler
      )
    } catch (error) {
      onFailure(error)
    }
  }
  const head = <E>(onFailure: (error: unknown) => E) =>
    Effect.callback<void, E>((resume) => {
      begin(
        "head",
        () => resume(Effect.void),
        (error) => resume(Effect.fail(onFailure(error)))
      )
      return Effect.sync(stop)
    })
  const rest = Effect.callback<void>((resume) => {
    onEnd = () => resume(Effect.void)
    if (received.ending !== undefined) onEnd()
  })
  return { received, begin, head, rest, stop }
}
