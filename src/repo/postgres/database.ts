import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Layer, Redacted } from "effect"
import { makeMeteredSocket } from "./meteredSocket.ts"

/** How long a connection waits for an answer: longer than the server lets a statement take. */
const patience = Duration.seconds(6)

const maxConnections = 10

/**
 * A pool of connections to PostgreSQL. The server itself ends statements and waits that take too long; a server that
 * does not answer even that loses the connection.
 */
export const databaseLayer = (url: Redacted.Redacted) =>
  Layer.unwrap(
    Effect.map(makeMeteredSocket(maxConnections, patience), (connect) =>
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
