import { Duration, Effect, Metric } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Server as HttpsServer } from "node:https"
import type { Socket } from "node:net"
import * as Problem from "../../api/problems.ts"
import { Draining } from "../Draining.ts"
import { type Connection, type ConnectionLimits, makeConnectionRegistry, type Refusal } from "./connectionRegistry.ts"
import { endWithProblem, type RawProblem } from "./rawErrors.ts"

/** If a connection has more unanswered pipelined requests, it is closed. */
const maxPendingRequests = 32

/** If more refused connections have not read their response yet, the oldest of them is closed. */
const maxRefusedConnections = 64

/** After a draining server stops listening, it accepts requests on open connections for this long. */
const lastRequestTime = Duration.seconds(1)

const headers = { "retry-after": "5" }

const refusals: Readonly<Record<Refusal, RawProblem>> = {
  process_full: {
    make: (request_id) =>
      new Problem.Unavailable({
        detail: "The service has reached its limit of open connections; try again in a few seconds",
        request_id
      }),
    headers
  },
  address_full: {
    make: (request_id) =>
      new Problem.RateLimited({
        detail: "Your address has reached its limit of open connections; close some, or try again in a few seconds",
        request_id
      }),
    headers
  }
}

const openConnections = Metric.gauge("http_connections", { description: "Open connections" })

const turnedAway = Metric.counter("http_connections_turned_away_total", {
  description: "Connections that were refused, or displaced by others, by the reason",
  incremental: true
})

/** Metrics that listeners can update outside of any fiber. */
const makeConnectionMetrics = Effect.map(Effect.context(), (context) => {
  const counters = {
    process_full: Metric.withAttributes(turnedAway, { reason: "process_full" }),
    address_full: Metric.withAttributes(turnedAway, { reason: "address_full" }),
    displaced: Metric.withAttributes(turnedAway, { reason: "displaced" })
  }
  // Begins at 0, because Prometheus' increase() misses the first count of a series that begins at 1.
  for (const series of Object.values(counters)) series.updateUnsafe(0, context)
  openConnections.updateUnsafe(0, context)
  return {
    setOpen: (count: number) => openConnections.updateUnsafe(count, context),
    countTurnedAway: (reason: keyof typeof counters) => counters[reason].updateUnsafe(1, context)
  }
})

/** Identifies a connection by its peer, which is the same for the TCP socket and the TLS socket over it. */
const peerKey = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** Returns a function that closes all connections. */
export const limitConnections = Effect.fnUntraced(function* (server: Server, limits: ConnectionLimits) {
  const { accepted, isDraining } = yield* Draining
  const runFork = Effect.runForkWith(yield* Effect.context())
  const metrics = yield* makeConnectionMetrics
  const registry = makeConnectionRegistry(limits, () => metrics.countTurnedAway("displaced"))
  const byPeer = new Map<string, Connection>()
  /** A second index, because reading the peer of a socket takes longer. */
  const bySocket = new WeakMap<Socket, Connection>()
  const refused = new Set<Socket>()

  const refuse = (socket: Socket, reason: Refusal) => {
    metrics.countTurnedAway(reason)
    // A response would need a TLS handshake, whose cost the limit should prevent.
    if (server instanceof HttpsServer) {
      socket.destroy()
      return
    }
    const [oldest] = refused
    if (refused.size >= maxRefusedConnections) oldest?.destroy()
    refused.add(socket)
    socket.once("close", () => refused.delete(socket))
    socket.on("error", () => socket.destroy())
    endWithProblem(socket, refusals[reason])
    socket.resume()
  }

  const admit = (socket: Socket): boolean => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined) {
      socket.destroy()
      return false
    }
    const peer = peerKey(socket)
    const admitted = registry.admit(remoteAddress, () => socket.destroy())
    if (typeof admitted === "string") {
      refuse(socket, admitted)
      return false
    }
    byPeer.set(peer, admitted)
    metrics.setOpen(registry.size())
    socket.once("close", () => {
      registry.remove(admitted)
      if (byPeer.get(peer) === admitted) byPeer.delete(peer)
      metrics.setOpen(registry.size())
    })
    return true
  }

  // Node's own listeners start the TLS handshake or the HTTP parser. They are removed and then called by hand, because
  // a prepended listener can't stop them, and the requests of a refused connection would reach the router.
  // `server.maxConnections` refuses before any listener runs, but can't send a response.
  const nodeListeners = server.listeners("connection")
  server.removeAllListeners("connection")
  server.on("connection", (socket: Socket) => {
    if (!admit(socket)) return
    for (const listener of nodeListeners) listener.call(server, socket)
  })

  const trackRequest = ({ socket }: IncomingMessage, response: ServerResponse) => {
    let connection = bySocket.get(socket)
    if (connection === undefined) {
      connection = byPeer.get(peerKey(socket))
      if (connection === undefined) return
      bySocket.set(socket, connection)
    }
    registry.requestStarted(connection)
    if (connection.pendingRequests > maxPendingRequests) return connection.close()
    const started = connection
    let isPending = true
    const end = () => {
      if (isPending) registry.requestEnded(started)
      isPending = false
    }
    // At "prefinish", the whole response has been written. From then on, only the client's reading takes time.
    response.on("prefinish", end)
    response.on("close", end)
  }
  server.on("request", trackRequest)
  server.on("checkContinue", trackRequest)

  // `server.close()` calls `closeIdleConnections`, but emits no event when it begins. Node considers a connection
  // active until its first request has been read. Silent connections would therefore delay the stop until the shutdown
  // timeout.
  const closeIdleConnections = server.closeIdleConnections.bind(server)
  // A proxy's request may be on its way on an idle connection, so a draining server waits a moment before it closes
  // idle connections. Meanwhile it refuses the proxy's new connections, so that the proxy chooses other processes.
  const closeNow = Effect.sync(() => {
    closeIdleConnections()
    registry.closeUnused()
  })
  const closeSoon = Effect.sleep(lastRequestTime).pipe(Effect.andThen(accepted), Effect.andThen(closeNow))
  server.closeIdleConnections = () => {
    runFork(isDraining() ? closeSoon : closeNow)
  }

  // `server.closeAllConnections()` would miss refused connections and those in a TLS handshake.
  return () => {
    registry.closeAll()
    for (const socket of refused) socket.destroy()
  }
})
