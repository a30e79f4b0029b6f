import type { Effect, Scope } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"

interface CountedRead {
  readonly requestId: string
  /** The arrival, by the monotonic clock. */
  readonly start: bigint
  /** The rate limit's headers. */
  readonly headers: Readonly<Record<string, string>>
  readonly rest: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >
}

/** Fast reads that were counted, by Node's request, so that they are neither counted nor read again. */
export const countedReads = new WeakMap<object, CountedRead>()
