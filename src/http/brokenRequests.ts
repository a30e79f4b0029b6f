import { Predicate } from "effect"
import { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { endWithProblem } from "./rawProblem.ts"

const kinds = {
  HPE_HEADER_OVERFLOW: { status: 431, code: "headers_too_large", detail: "The headers are larger than 16 KiB" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: "request_timeout", detail: "The request took too long to arrive" }
}

const malformed = { status: 400, code: "invalid_request", detail: "This is not an HTTP/1.1 request" }

const kindOf = (error: Error) => {
  const code = Predicate.hasProperty(error, "code") ? error.code : undefined
  return code === "HPE_HEADER_OVERFLOW" || code === "ERR_HTTP_REQUEST_TIMEOUT" ? kinds[code] : malformed
}

/** The response that the socket is taken by. */
const responseOn = (socket: Duplex): ServerResponse | undefined =>
  Predicate.hasProperty(socket, "_httpMessage") && socket._httpMessage instanceof ServerResponse
    ? socket._httpMessage
    : undefined

/** Answers what Node's parser refuses, and so never reaches the router, with a problem as well. */
export const answerBrokenRequest = (error: Error, socket: Duplex): void => {
  const response = responseOn(socket)
  // The client sent it behind a request that was read whole, and takes the next answer for that one's.
  if (response?.req.complete === true && !response.destroyed) {
    response.once("close", () => answerBrokenRequest(error, socket))
  } else if (!socket.writable || response?.headersSent === true) socket.destroy()
  else endWithProblem(socket, kindOf(error))
}
