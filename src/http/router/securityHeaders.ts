import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { hstsHeader, securityHeaders } from "../responseHeaders.ts"

/** Adds the security headers to every response; a header that the response sets itself wins. */
export const securityHeadersLayer = ({ hsts }: { readonly hsts: boolean }) => {
  const headers = { ...securityHeaders, ...(hsts ? hstsHeader : {}) }
  return HttpRouter.middleware(
    <E>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E>) =>
      Effect.map(handler, (response) => HttpServerResponse.setHeaders(response, { ...headers, ...response.headers })),
    { global: true }
  )
}
