import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Problem from "../../api/problems.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { fail } from "../problems.ts"

/** Uses headers that browsers set and pages can't change. */
const classifyOrigin = (
  request: HttpServerRequest.HttpServerRequest,
  ownOrigin: string
): "own" | "other" | "unknown" => {
  const site = request.headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin" ? "own" : "other"
  const origin = request.headers["origin"]
  if (origin === undefined) return "unknown"
  return origin === ownOrigin ? "own" : "other"
}

/** Prevents CSRF: pages of other origins can neither use a browser's session cookie nor make the browser log in. */
export const makeSameOrigin = Effect.map(BaseUrl, (baseUrl) => {
  const ownOrigin = new URL(baseUrl).origin
  const origin = Effect.map(HttpServerRequest.HttpServerRequest, (request) => classifyOrigin(request, ownOrigin))
  return {
    isOwn: Effect.map(origin, (from) => from === "own"),
    /** Refuses a request with the session cookie unless it comes from the service's own origin. */
    required: Effect.flatMap(origin, (from) =>
      from === "own"
        ? Effect.void
        : fail(Problem.CrossOrigin, {
            detail: `A session's request has to come from ${ownOrigin}, and to say so in Sec-Fetch-Site or Origin`
          })
    ),
    /** Refuses a request without the cookie only if it comes from another origin. Programs name no origin. */
    unlessUnknown: Effect.flatMap(origin, (from) =>
      from === "other" ? fail(Problem.CrossOrigin, { detail: `Logging in works from ${ownOrigin} only` }) : Effect.void
    )
  }
})
