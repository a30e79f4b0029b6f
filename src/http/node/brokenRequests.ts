import { Predicate } from "effect"
import { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { HeadersTooLarge, InvalidRequest, RequestTimeout } from "../../api/problems.ts"
import { endWithProblem } from "./rawProblem.ts"

const problemOf = (error: Error, request_id: string) => {
  switch (Predicate.hasProperty(error, "code") ? error.code : undefined) {
    case "HPE_HEADER_OVERFLOW":
      return new HeadersTooLarge({ detail: "The headers are larger than 16 KiB", request_id })
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new RequestTimeout({ detail: "The request took too long to arrive", request_id })
    default:
      return new InvalidRequest({ detail: "This is not an HTTP/1.1 request", errors: [], request_id })
  }
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
  else endWithProblem(socket, { make: (requestId) => problemOf(error, requestId) })
}
