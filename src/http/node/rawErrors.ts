import { Predicate, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { type Server, ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import * as Problem from "../../api/problems.ts"
import { hstsHeader, securityHeaders } from "../responseHeaders.ts"
import { timedOutRequests } from "../timedOutRequests.ts"

const RawProblems = Schema.Union([
  Problem.ExpectationFailed,
  Problem.HeadersTooLarge,
  Problem.shown.InvalidRequest,
  Problem.MethodNotAllowed,
  Problem.RateLimited,
  Problem.RequestTimeout,
  Problem.Unavailable
])

export interface RawProblem {
  readonly make: (requestId: string) => typeof RawProblems.Type
  readonly headers?: Readonly<Record<string, string>>
}

const encode = Schema.encodeSync(Schema.fromJsonString(RawProblems))

const isEncrypted = (socket: Duplex | null): boolean =>
  Predicate.hasProperty(socket, "encrypted") && socket.encrypted === true

const render = ({ make, headers }: RawProblem, socket: Duplex | null) => {
  const requestId = SecureRandom.uuidV4Unsafe()
  const problem = make(requestId)
  const body = encode(problem)
  const fields = {
    ...securityHeaders,
    ...(isEncrypted(socket) ? hstsHeader : {}),
    ...headers,
    "content-type": "application/problem+json",
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": requestId,
    connection: "close"
  }
  return { status: problem.status, fields, body }
}

const respondWithProblem = (response: ServerResponse, problem: RawProblem): void => {
  const { status, fields, body } = render(problem, response.socket)
  response.writeHead(status, fields).end(body)
}

export const endWithProblem = (socket: Duplex, problem: RawProblem, hasBody = true): void => {
  const { status, fields, body } = render(problem, socket)
  const head = Object.entries(fields)
    .filter(([name]) => hasBody || name !== "content-length")
    .map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, "", hasBody ? body : ""].join("\r\n"))
}

/**
 * False for HEAD, because its client can't parse a body. Also false if the headers were too long for one packet,
 * because then the method is not known.
 */
const mayHaveBody = (error: Error): boolean => {
  const packet = Predicate.hasProperty(error, "rawPacket") && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : null
  const start = packet?.toString("latin1", 0, 16) ?? ""
  if (start.startsWith("HEAD ")) return false
  return !isOverflow(error) || /^[A-Z-]+ /.test(start)
}

const requestTimeout = "ERR_HTTP_REQUEST_TIMEOUT"

const isOverflow = (error: Error): boolean =>
  Predicate.hasProperty(error, "code") && error.code === "HPE_HEADER_OVERFLOW"

const isRequestTimeout = (error: Error): boolean =>
  Predicate.hasProperty(error, "code") && error.code === requestTimeout

const parseProblem = (error: Error, request_id: string) => {
  switch (Predicate.hasProperty(error, "code") ? error.code : undefined) {
    case "HPE_HEADER_OVERFLOW":
      return new Problem.HeadersTooLarge({ detail: "The headers are larger than 16 KiB", request_id })
    case requestTimeout:
      return new Problem.RequestTimeout({ detail: "The request took too long to arrive", request_id })
    default:
      return new Problem.shown.InvalidRequest({ detail: "This is not an HTTP/1.1 request", errors: [], request_id })
  }
}

/** Uses a private property, because Node has no public way to find the response. */
const currentResponse = (socket: Duplex): ServerResponse | undefined =>
  Predicate.hasProperty(socket, "_httpMessage") && socket._httpMessage instanceof ServerResponse
    ? socket._httpMessage
    : undefined

const respondToParseError = (error: Error, socket: Duplex): void => {
  const response = currentResponse(socket)
  // The bad request was pipelined after a complete request. The complete request's response has to come first, or the
  // client would confuse the two.
  if (response?.req.complete === true && !response.destroyed) {
    response.once("close", () => respondToParseError(error, socket))
  } else if (!socket.writable || response?.headersSent === true) socket.destroy()
  else {
    if (response !== undefined && isRequestTimeout(error)) timedOutRequests.add(response.req)
    endWithProblem(socket, { make: (requestId) => parseProblem(error, requestId) }, mayHaveBody(error))
  }
}

const tunnelRefused: RawProblem = {
  make: (request_id) => new Problem.MethodNotAllowed({ detail: "This service is not a proxy", request_id }),
  headers: { allow: "" }
}

const unknownExpectation: RawProblem = {
  make: (request_id) =>
    new Problem.ExpectationFailed({ detail: "The header Expect may only say 100-continue", request_id })
}

/** Requests that never reach the router: malformed ones, CONNECT, and unknown expectations. */
export const respondToRawErrors = (server: Server): void => {
  server.on("clientError", respondToParseError)
  server.on("connect", (_request, socket) => {
    socket.on("error", () => socket.destroy())
    endWithProblem(socket, tunnelRefused)
    socket.resume()
  })
  server.on("checkExpectation", (_request, response) => respondWithProblem(response, unknownExpectation))
}
