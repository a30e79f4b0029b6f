import { Predicate, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import * as Problem from "../../api/problems.ts"
import { hstsHeader, securityHeaders } from "../router/securityHeaders.ts"

const RawProblems = Schema.Union([
  Problem.ExpectationFailed,
  Problem.HeadersTooLarge,
  Problem.InvalidRequest,
  Problem.MethodNotAllowed,
  Problem.RateLimited,
  Problem.RequestTimeout,
  Problem.Unavailable
])

/** A problem with a request that never reaches the router. */
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

/** Answers with a problem as the router would, after which the connection closes. */
export const answerWithProblem = (response: ServerResponse, problem: RawProblem): void => {
  const { status, fields, body } = render(problem, response.socket)
  response.writeHead(status, fields).end(body)
}

/** The same where there is no request that Node understands. */
export const endWithProblem = (socket: Duplex, problem: RawProblem): void => {
  const { status, fields, body } = render(problem, socket)
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, "", body].join("\r\n"))
}
