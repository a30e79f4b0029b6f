import { NodeFileSystem, NodeHttpServer } from "@effect/platform-node"
import { Duration, Effect, Layer, Option } from "effect"
import { HttpServer } from "effect/http"
import { createServer, type Server } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { answerBrokenRequest } from "./brokenRequests.ts"
import type { ConnectionLimits } from "./connectionRegistry.ts"
import { limitConnections } from "./connectionLimit.ts"
import { makeConnectionMetrics } from "./connectionMetrics.ts"
import { listenError } from "./listenError.ts"
import { checkTlsPair, readTlsFiles, type TlsFiles } from "./tlsPair.ts"
import { tlsProtocol } from "./tlsProtocol.ts"
import { renewTls } from "./tlsRenewal.ts"
import { answerUnusualRequests } from "./unusualRequests.ts"

export interface ListenOptions extends ConnectionLimits {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  /** What HTTPS is served with; plain HTTP without. */
  readonly tls: Option.Option<TlsFiles>
}

/** In milliseconds. A proxy has to close idle connections earlier than `keepAliveTimeout`, or it meets closed ones now and then. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000
}

/** In milliseconds: how long a client may leave an answer unread. Beyond `requestTimeout`, which has an answer of its own. */
const stalledAfter = 40_000

const httpOptions = {
  ...timeouts,
  maxHeaderSize: 16_384,
  // The router's middleware tells of a missing host, as of everything, with a problem; Node would with an empty answer.
  requireHostHeader: false,
  // Nothing here is upgraded to: such a request is answered as any other.
  shouldUpgradeCallback: () => false
}

const makeServer = Effect.fnUntraced(function* (tls: Option.Option<TlsFiles>) {
  if (Option.isNone(tls)) return createServer(httpOptions)
  const pair = yield* readTlsFiles(tls.value)
  yield* checkTlsPair(tls.value, pair)
  const server = createHttpsServer({
    ...httpOptions,
    ...tlsProtocol,
    ...pair,
    handshakeTimeout: timeouts.headersTimeout
  })
  yield* renewTls(server, tls.value, pair)
  return server
})

const prepare = (server: Server) => {
  server.setTimeout(stalledAfter)
  server.on("clientError", answerBrokenRequest)
  answerUnusualRequests(server)
  // Node closes the connections that are idle when it stops listening, but not those that become idle after that.
  server.on("request", (_request, response) => {
    response.once("close", () => {
      if (!server.listening) server.closeIdleConnections()
    })
  })
}

/** How long requests in flight may take when the server stops. */
const grace = Duration.seconds(8)

const listen = Effect.fnUntraced(function* (options: ListenOptions) {
  const server = yield* makeServer(options.tls)
  const closeAll = limitConnections(server, options, yield* makeConnectionMetrics)
  prepare(server)
  const { host, port } = options
  const listening = yield* NodeHttpServer.make(() => server, { host, port, gracefulShutdownTimeout: grace }).pipe(
    Effect.mapError(({ cause }) => listenError(cause, host, port))
  )
  // Runs after the grace: who has not taken the answer by then would keep the process from ending.
  yield* Effect.addFinalizer(() => Effect.sync(closeAll))
  return listening
})

/** A server that listens. When its scope closes it takes no more connections and lets requests in flight finish, for 8 seconds. */
export const nodeServer = (options: ListenOptions) =>
  Layer.merge(
    Layer.effect(HttpServer.HttpServer, listen(options)).pipe(Layer.provide(NodeFileSystem.layer)),
    NodeHttpServer.layerHttpServices
  )
