import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Problem from "../api/problems.ts"
import { fail } from "../http/problems.ts"
import { addHeaders } from "../http/responseHeaders.ts"

export interface AllowedOrigins {
  readonly own: string
  readonly others: ReadonlyArray<string>
}

/** The answer to a browser's preflight request. It never allows cookies. */
const preflight = HttpServerResponse.empty({
  status: 204,
  headers: {
    "access-control-allow-methods": "POST",
    "access-control-allow-headers":
      "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, traceparent, tracestate, x-request-id",
    "access-control-max-age": "7200"
  }
})

const readableBy = (origin: string) => ({
  "access-control-allow-origin": origin,
  "access-control-expose-headers": "www-authenticate, retry-after, ratelimit, ratelimit-policy, x-request-id",
  vary: "origin"
})

/**
 * Refuses requests from pages of other origins, unless the origin is allowed. Answers preflight requests of allowed
 * origins.
 */
export const checkOrigin = (
  { headers, method }: HttpServerRequest.HttpServerRequest,
  { others, own }: AllowedOrigins
): Effect.Effect<HttpServerResponse.HttpServerResponse | undefined, Problem.CrossOrigin> => {
  const { origin } = headers
  if (origin === undefined || origin === own) return Effect.undefined
  if (!others.includes(origin)) {
    return fail(Problem.CrossOrigin, {
      detail: `Pages from origins other than ${own} may not send this, unless MCP_ALLOWED_ORIGINS names them`
    })
  }
  const isPreflight = method === "OPTIONS" && headers["access-control-request-method"] !== undefined
  return Effect.as(addHeaders(readableBy(origin)), isPreflight ? preflight : undefined)
}
