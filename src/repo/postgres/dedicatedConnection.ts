import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Redacted } from "effect"
import { TimeoutSocket } from "./timeoutSocket.ts"

/** What the server ends on a connection: zero is no limit. */
export interface ConnectionLimits {
  readonly statement: Duration.Duration
  readonly lockWait: Duration.Duration
  /** How long a transaction may wait for its client. */
  readonly idleTransaction: Duration.Duration
}

const milliseconds = (limit: Duration.Duration) => `${Duration.toMillis(limit)}ms`

/**
 * One connection to the database of the surrounding pool, for work that takes longer than a request may. Statements run on
 * the same session throughout, so that session-level locks hold; a connection that is lost is not replaced.
 */
export const dedicatedConnectionLayer = ({ idleTransaction, lockWait, statement }: ConnectionLimits) =>
  PgClient.layerFrom(
    Effect.flatMap(PgClient.PgClient, ({ config }) => {
      const { url } = config
      // Longer than the server's own limit, so that only a server that doesn't respond loses the connection.
      const responseTimeout = Duration.sum(statement, Duration.seconds(10))
      return PgClient.makeClient({
        ...config,
        stream: url === undefined ? undefined : () => new TimeoutSocket(new URL(Redacted.value(url)), responseTimeout),
        startupParameters: {
          ...config.startupParameters,
          statement_timeout: milliseconds(statement),
          lock_timeout: milliseconds(lockWait),
          idle_in_transaction_session_timeout: milliseconds(idleTransaction)
        }
      })
    })
  )
