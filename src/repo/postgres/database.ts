import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { makeMeteredSocket } from "./meteredSocket.ts"

/** Longer than the server's own statement timeout, so that only a server that doesn't respond loses the connection. */
const responseTimeout = Duration.seconds(6)

const maxConnections = 10

/** Connections that short reads share, and how many of these one connection pipelines. */
const readConnections = 4
const readsPerConnection = 16

/** Beside the pool: see `dedicatedConnection`. */
const dedicatedConnections = 1

/**
 * For short reads outside of transactions: several share a connection and a write to its socket, which costs a fraction of
 * what a round trip of their own does. A read waits for those before it on its connection, and one that is interrupted runs
 * to its end or to the statement timeout.
 */
export class ReadClient extends Context.Service<ReadClient, SqlClient.SqlClient>()(
  "social-publisher/repo/ReadClient"
) {}

/**
 * Pools of connections to PostgreSQL: an ordinary one, and one for short reads. The server itself ends statements, lock
 * waits and idle transactions that take too long.
 */
export const databaseLayer = (url: Redacted.Redacted) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const connect = yield* makeMeteredSocket(maxConnections + readConnections + dedicatedConnections, responseTimeout)
      const config = {
        url,
        stream: () => connect(new URL(Redacted.value(url))),
        applicationName: "social-publisher",
        maxConnections,
        connectTimeout: "4 seconds",
        startupParameters: {
          TimeZone: "UTC",
          statement_timeout: "5s",
          lock_timeout: "4s",
          idle_in_transaction_session_timeout: "30s"
        }
      } as const
      const client = yield* PgClient.make(config)
      const reads = yield* PgClient.make({
        ...config,
        maxConnections: readConnections,
        multiplex: true,
        multiplexConcurrency: readsPerConnection
      })
      return Context.make(PgClient.PgClient, client).pipe(
        Context.add(SqlClient.SqlClient, client),
        Context.add(ReadClient, reads)
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))

/**
 * A client with one connection outside the pool, for statements that must not wait until the pool has a free one. It
 * connects when it is first used, and again after the connection was lost.
 */
export const dedicatedConnection = Effect.gen(function* () {
  const { config } = yield* PgClient.PgClient
  return yield* PgClient.make({ ...config, maxConnections: dedicatedConnections })
}).pipe(Effect.provide(Reactivity.layer))
