import type { HttpServerRequest } from "effect/http"

/** True if the request changes nothing (RFC 9110, section 9.2.1). */
export const isSafe = ({ method }: Pick<HttpServerRequest.HttpServerRequest, "method">): boolean =>
  method === "GET" || method === "HEAD"
