import type { StandInResponse } from "../../../sandbox/endpoint.ts"
import type { ErrorFormat } from "../../../sandbox/outcome.ts"
import type { LimitStatus } from "../../../sandbox/windowLimit.ts"

const usualErrors: Readonly<Record<number, readonly [error: string, message: string]>> = {
  400: ["InvalidRequest", "Invalid request"],
  401: ["AuthenticationRequired", "Authentication Required"],
  403: ["Forbidden", "Forbidden"],
  413: ["PayloadTooLarge", "request entity too large"],
  429: ["RateLimitExceeded", "Rate Limit Exceeded"],
  500: ["InternalServerError", "Internal Server Error"],
  501: ["MethodNotImplemented", "Method Not Implemented"],
  502: ["UpstreamFailure", "Upstream Failure"]
}

export const pdsError = (status: number, error?: string, message?: string): StandInResponse => {
  const [usualError, usualMessage] = usualErrors[status] ?? ["UpstreamFailure", "Upstream Failure"]
  return { status, body: { error: error ?? usualError, message: message ?? usualMessage } }
}

const resetHeaders = (reset: number) => ({ "ratelimit-reset": String(reset) })

export const pdsLimitHeaders = ({ limit, remaining, reset }: LimitStatus, windowSeconds: number) => ({
  "ratelimit-limit": String(limit),
  "ratelimit-remaining": String(remaining),
  ...resetHeaders(reset),
  "ratelimit-policy": `${limit};w=${windowSeconds}`
})

export const pdsErrorFormat: ErrorFormat = { error: pdsError, resetHeaders }
