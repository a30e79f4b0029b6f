import { Predicate } from "effect"
import { SecureRandom } from "effect/crypto"
import { type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { hstsHeader, securityHeaders } from "./securityHeaders.ts"

/** A problem with a request that never reaches the router. */
export interface RawProblem {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly headers?: Readonly<Record<string, string>>
}

const isEncrypted = (socket: Duplex | null): boolean =>
  Predicate.hasProperty(socket, "encrypted") && socket.encrypted === true

const render = ({ status, code, detail, headers }: RawProblem, socket: Duplex | null) => {
  const title = STATUS_CODES[status]
  const request_id = SecureRandom.uuidV4Unsafe()
  const body = JSON.stringify({ type: "about:blank", title, status, detail, code, request_id })
  const fields = {
    ...securityHeaders,
    ...(isEncrypted(socket) ? hstsHeader : {}),
    ...headers,
    "content-type": "application/problem+json",
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": request_id,
    connection: "close"
  }
  return { title, fields, body }
}

/** Answers with a problem as the router would, after which the connection closes. */
export const answerWithProblem = (response: ServerResponse, problem: RawProblem): void => {
  const { fields, body } = render(problem, response.socket)
  response.writeHead(problem.status, fields).end(body)
}

/** The same where there is no request that Node understands. */
export const endWithProblem = (socket: Duplex, problem: RawProblem): void => {
  const { title, fields, body } = render(problem, socket)
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${problem.status} ${title}`, ...head, "", body].join("\r\n"))
}
