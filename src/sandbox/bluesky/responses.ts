import { HttpServerResponse } from "effect/http"
import type { Fault } from "../state/faults.ts"
import type { LimitStanding } from "../windowLimit.ts"

const names: Readonly<Record<number, readonly [string, string]>> = {
  400: ["InvalidRequest", "Invalid request"],
  401: ["AuthenticationRequired", "Authentication Required"],
  403: ["Forbidden", "Forbidden"],
  413: ["PayloadTooLarge", "request entity too large"],
  429: ["RateLimitExceeded", "Rate Limit Exceeded"],
  500: ["InternalServerError", "Internal Server Error"],
  501: ["MethodNotImplemented", "Method Not Implemented"],
  502: ["UpstreamFailure", "Upstream Failure"]
}

/** An error as a PDS words it. */
export const pdsError = (status: number, error?: string, message?: string) => {
  const [name, text] = names[status] ?? ["UpstreamFailure", "Upstream Failure"]
  return HttpServerResponse.jsonUnsafe({ error: error ?? name, message: message ?? text }, { status })
}

/** The headers that tell how much of a limit is left. */
export const pdsLimitHeaders = (standing: LimitStanding, windowSeconds: number) => ({
  "ratelimit-limit": String(standing.limit),
  "ratelimit-remaining": String(standing.remaining),
  "ratelimit-reset": String(standing.reset),
  "ratelimit-policy": `${standing.limit};w=${windowSeconds}`
})

export const pdsFaultAnswer = (fault: Extract<Fault, { kind: "status" }>, now: number) => {
  const headers = {
    ...(fault.retry_after === undefined ? {} : { "retry-after": String(fault.retry_after) }),
    ...(fault.reset_after === undefined ? {} : { "ratelimit-reset": String(Math.ceil(now / 1000) + fault.reset_after) })
  }
  const answer =
    fault.body === undefined
      ? pdsError(fault.status, fault.error, fault.detail)
      : HttpServerResponse.text(fault.body, { status: fault.status })
  return HttpServerResponse.setHeaders(answer, headers)
}
