import type { Effect, Scope } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"

/** A plain read that was counted, and whose response is not one that is sent before the router. */
interface CountedRead {
  readonly requestId: string
  /** When it arrived, by the monotonic clock. */
  readonly start: bigint
  /** The headers that its response gets because it was counted. */
  readonly headers: Readonly<Record<string, string>>
  /** What is left to do for its response. */
  readonly rest: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >
}

/** Finds by Node's request what became of a plain read, so that it is neither counted nor read again. */
export const countedReads = new WeakMap<object, CountedRead>()
