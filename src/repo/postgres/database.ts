import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { makeMeteredSocket } from "./meteredSocket.ts"

/** Longer than the server's own statement timeout, so that only a server that doesn't respond loses the connection. */
const responseTimeout = Duration.seconds(6)

const maxConnections = 10

/** Beside the pool: see `dedicatedConnection`. */
const dedicatedConnections = 1

/**
 * A pool of connections to PostgreSQL. The server itself ends statements, lock waits and idle transactions that take too
 * long.
 */
export const databaseLayer = (url: Redacted.Redacted) =>
  Layer.unwrap(
    Effect.map(makeMeteredSocket(maxConnections + dedicatedConnections, responseTimeout), (connect) =>
      PgClient.layer({
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
      })
    )
  )

/**
 * A client with one connection outside the pool, for statements that must not wait until the pool has a free one. It
 * connects when it is first used, and again after the connection was lost.
 */
export const dedicatedConnection = Effect.gen(function* () {
  const { config } = yield* PgClient.PgClient
  return yield* PgClient.make({ ...config, maxConnections: dedicatedConnections })
}).pipe(Effect.provide(Reactivity.layer))
