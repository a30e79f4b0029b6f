import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Layer, Redacted } from "effect"
import { makeMeteredSocket } from "./meteredSocket.ts"

/** Longer than the server's own statement timeout, so that only a server that doesn't respond loses the connection. */
const responseTimeout = Duration.seconds(6)

const maxConnections = 10

/**
 * A pool of connections to PostgreSQL. The server itself ends statements, lock waits and idle transactions that take too
 * long.
 */
export const databaseLayer = (url: Redacted.Redacted) =>
  Layer.unwrap(
    Effect.map(makeMeteredSocket(maxConnections, responseTimeout), (connect) =>
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
