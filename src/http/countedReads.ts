import type { Effect, Scope } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"

/** A plain read that was counted, and that the router has to answer. */
interface CountedRead {
  readonly requestId: string
  /** The arrival, by the monotonic clock. */
  readonly start: bigint
  /** The rate limit's headers. */
  readonly headers: Readonly<Record<string, string>>
  /** The rest of the work for its response. */
  readonly rest: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >
}

/** Counted reads by Node's request, so that they are neither counted nor read again. */
export const countedReads = new WeakMap<object, CountedRead>()
