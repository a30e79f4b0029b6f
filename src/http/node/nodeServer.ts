import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Duration, Effect, Layer, Option, Predicate, Schema, type Scope } from "effect"
import { HttpServer } from "effect/http"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { Draining } from "../Draining.ts"
import { limitBodyTime } from "./bodyTimeout.ts"
import { limitConnections } from "./connectionLimit.ts"
import type { ConnectionLimits } from "./connectionRegistry.ts"
import { respondToRawErrors } from "./rawErrors.ts"
import { checkTlsPair, readTlsFiles, renewTls, type TlsFiles, tlsProtocol } from "./tls.ts"

export interface ListenOptions extends ConnectionLimits {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Without files, plain HTTP. */
  readonly tls: Option.Option<TlsFiles>
}

/**
 * Node's timeouts, in milliseconds. A proxy in front has to close idle connections before `keepAliveTimeout`. Otherwise
 * it may send a request while this server closes the connection.
 */
const timeouts = {
  headersTimeout: 10_000,
  // Off, because `limitBodyTime` replaces it.
  requestTimeout: 0,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000
}

/**
 * Milliseconds without traffic until a connection is closed, such as by a client that does not read its response.
 * Longer than the 30 seconds that `limitBodyTime` allows a request body, so that a stalled body gets a 408 first.
 */
const idleTimeout = 40_000

const shutdownTimeout = Duration.seconds(8)

const httpOptions = {
  ...timeouts,
  maxHeaderSize: 16_384,
  // If Host is missing, the request guard responds with a problem. Node would respond with an empty body.
  requireHostHeader: false,
  // An Upgrade header is ignored, as HTTP allows, because the service supports no upgrade.
  shouldUpgradeCallback: () => false
}

/** The server can't listen. `message` is one line that names the setting to change. */
export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

const explainListenError = (code: unknown, host: string, port: number): string => {
  switch (code) {
    case "EADDRINUSE":
      return `PORT ${port} is in use on ${host}: stop what listens there, or set PORT to another one`
    case "EACCES":
      return `PORT ${port} may not be used by this user: set PORT to one from 1024 on`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `HOST ${host} is not an address of this machine`
    default:
      return `The server can't listen on HOST ${host}, PORT ${port}`
  }
}

export const listenError = (cause: unknown, host: string, port: number): ListenError =>
  new ListenError({
    message: explainListenError(Predicate.hasProperty(cause, "code") ? cause.code : undefined, host, port),
    cause
  })

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

export type RequestListener = (incoming: IncomingMessage, response: ServerResponse) => void

export class BeforeRouter extends Context.Service<
  BeforeRouter,
  {
    /** Puts a listener before the router's until the scope closes. */
    readonly listen: (around: (route: RequestListener) => RequestListener) => Effect.Effect<void, never, Scope.Scope>
  }
>()("social-publisher/http/BeforeRouter") {}

const isListener = (value: unknown): value is RequestListener => typeof value === "function"

const listenBeforeRouter = (server: Server): BeforeRouter["Service"]["listen"] => {
  const replace = (listener: RequestListener, by: RequestListener) => {
    server.off("request", listener)
    server.on("request", by)
  }
  return Effect.fnUntraced(function* (around) {
    // The router added its listener last.
    const route = server.listeners("request").at(-1)
    if (!isListener(route)) return yield* Effect.die(new Error("The router does not listen yet"))
    const listener = around(route)
    yield* Effect.acquireRelease(
      Effect.sync(() => replace(route, listener)),
      () => Effect.sync(() => replace(listener, route))
    )
  })
}

/** Node closes idle connections when it stops listening. This also closes connections that become idle later. */
const closeIdleAfterStop = (server: Server) =>
  server.on("request", (_request, response) => {
    response.on("close", () => {
      if (!server.listening) server.closeIdleConnections()
    })
  })

/**
 * Once the server has stopped listening, closes each connection after its response. Otherwise a proxy would keep using
 * its open connections, and would not notice that new ones are refused. Closing a connection earlier would fail its
 * request.
 */
const endConnectionsAfterStop = (server: Server) =>
  server.on("request", (_request, response) => {
    if (!server.listening) response.shouldKeepAlive = false
  })

const listen = Effect.fnUntraced(function* (options: ListenOptions) {
  const server = yield* makeServer(options.tls)
  const draining = yield* Draining
  endConnectionsAfterStop(server)
  server.setTimeout(idleTimeout)
  const closeConnections = yield* limitConnections(server, options)
  server.on("connection", draining.countConnection)
  respondToRawErrors(server)
  yield* limitBodyTime(server)
  closeIdleAfterStop(server)
  const { host, port } = options
  const listenOptions = { host, port, gracefulShutdownTimeout: shutdownTimeout }
  const listening = yield* NodeHttpServer.make(() => server, listenOptions).pipe(
    Effect.mapError(({ cause }) => listenError(cause, host, port))
  )
  // Runs after the shutdown timeout. Clients that have not read their response would otherwise keep the process
  // running.
  yield* Effect.addFinalizer(() => Effect.sync(closeConnections))
  return Context.make(HttpServer.HttpServer, listening).pipe(
    Context.add(BeforeRouter, { listen: listenBeforeRouter(server) })
  )
})

/** After its scope closes, the server accepts no more connections and gives requests in flight 8 seconds. */
export const nodeServerLayer = (options: ListenOptions) =>
  Layer.merge(
    Layer.effectContext(listen(options)).pipe(Layer.provide(NodeFileSystem.layer)),
    NodeHttpServer.layerHttpServices
  )
