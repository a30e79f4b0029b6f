import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { CrossOrigin } from "../../api/problems.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { RequestId } from "../RequestId.ts"

/** Where a request comes from, as far as its headers tell: browsers send them, and pages can't change them. */
const originOf = (request: HttpServerRequest.HttpServerRequest, own: string): "own" | "other" | "unknown" => {
  const site = request.headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin" ? "own" : "other"
  const origin = request.headers["origin"]
  if (origin === undefined) return "unknown"
  return origin === own ? "own" : "other"
}

const refuse = (detail: string) =>
  Effect.flatMap(RequestId, (request_id) => Effect.fail(new CrossOrigin({ detail, request_id })))

/** Keeps pages of other origins from using a browser's cookies, and from making it log in. */
export const makeSameOrigin = Effect.map(BaseUrl, (baseUrl) => {
  const own = new URL(baseUrl).origin
  const origin = Effect.map(HttpServerRequest.HttpServerRequest, (request) => originOf(request, own))
  return {
    /** For requests that change something with a cookie. */
    required: Effect.flatMap(origin, (from) =>
      from === "own"
        ? Effect.void
        : refuse(`A session's request has to come from ${own}, and to say so in Sec-Fetch-Site or Origin`)
    ),
    /** For requests without a cookie, which programs send as well, and they name no origin. */
    unlessUnknown: Effect.flatMap(origin, (from) =>
      from === "other" ? refuse(`Logging in works from ${own} only`) : Effect.void
    )
  }
})
