import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { hstsHeader, securityHeaders } from "./securityHeaders.ts"

/** Adds to every answer what keeps browsers from doing harm with it; what a page says of itself stands. */
export const safeHeaders = (overHttps: boolean) => {
  const headers = { ...securityHeaders, ...(overHttps ? hstsHeader : {}) }
  return HttpRouter.middleware(
    <E>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E>) =>
      Effect.map(handler, (response) => HttpServerResponse.setHeaders(response, { ...headers, ...response.headers })),
    { global: true }
  )
}
