import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Server as HttpsServer } from "node:https"
import type { Socket } from "node:net"
import { type Connection, type ConnectionLimits, makeConnectionRegistry, type Refusal } from "./connectionRegistry.ts"
import type { ConnectionMetrics } from "./connectionMetrics.ts"
import { RateLimited, Unavailable } from "../../api/problems.ts"
import { endWithProblem, type RawProblem } from "./rawProblem.ts"

/** Requests that a connection may have sent ahead of their answers. */
const mostAhead = 32

/** How many refused connections are told why at a time; to tell one more, the first is cut off. */
const mostTold = 64

const headers = { "retry-after": "5" }

const refusals: Readonly<Record<Refusal, RawProblem>> = {
  process_full: {
    make: (request_id) => new Unavailable({ detail: "The service has as many connections as it takes", request_id }),
    headers
  },
  address_full: {
    make: (request_id) =>
      new RateLimited({ detail: "Your address has as many connections open as it may", request_id }),
    headers
  }
}

/** The same for a connection and for the TLS in it. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** Lets a server have no more connections than the limits allow; answers a way to close all of them. */
export const limitConnections = (
  server: Server,
  limits: ConnectionLimits,
  metrics: ConnectionMetrics
): (() => void) => {
  const book = makeConnectionRegistry(limits, () => metrics.turnedAway("displaced"))
  const byPeer = new Map<string, Connection>()
  const told = new Set<Socket>()
  const takeUp = server.listeners("connection")

  const refuse = (socket: Socket, reason: Refusal) => {
    metrics.turnedAway(reason)
    // Nothing can be said without a handshake, and what is refused is not worth one.
    if (server instanceof HttpsServer) return socket.destroy()
    const [first] = told
    if (told.size >= mostTold) first?.destroy()
    told.add(socket)
    socket.once("close", () => told.delete(socket))
    socket.on("error", () => socket.destroy())
    endWithProblem(socket, refusals[reason])
    return socket.resume()
  }

  const admit = (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined) return socket.destroy()
    const peer = peerOf(socket)
    const admitted = book.admit(remoteAddress, () => socket.destroy())
    if (typeof admitted === "string") return refuse(socket, admitted)
    byPeer.set(peer, admitted)
    metrics.open(book.size())
    socket.once("close", () => {
      book.leave(admitted)
      if (byPeer.get(peer) === admitted) byPeer.delete(peer)
      metrics.open(book.size())
    })
    for (const listener of takeUp) listener.call(server, socket)
    return undefined
  }

  const serve = ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = byPeer.get(peerOf(socket))
    if (connection === undefined) return
    book.owe(connection)
    if (connection.serving > mostAhead) return connection.close()
    let owed = true
    const answered = () => {
      if (owed) book.answered(connection)
      owed = false
    }
    // Handed over whole: from here on it is up to the client how long its reading takes.
    response.once("prefinish", answered)
    response.once("close", answered)
  }

  server.removeAllListeners("connection")
  server.on("connection", admit)
  server.on("request", serve)
  server.on("checkContinue", serve)
  // When it stops, Node takes connections for busy that nothing was read from yet.
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    closeIdle()
    book.closeUnasked()
  }
  return () => {
    book.closeAll()
    for (const socket of told) socket.destroy()
  }
}
