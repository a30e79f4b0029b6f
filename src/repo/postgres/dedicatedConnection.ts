import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Redacted } from "effect"
import { TimeoutSocket } from "./timeoutSocket.ts"

/** Enforced by the server; zero means no limit. */
export interface ConnectionLimits {
  readonly statement: Duration.Duration
  readonly lockWait: Duration.Duration
  readonly idleTransaction: Duration.Duration
}

const milliseconds = (limit: Duration.Duration) => `${Duration.toMillis(limit)}ms`

/**
 * For work that takes longer than a request. All statements run in one session, which can hold session-level locks. A
 * lost connection is not replaced.
 */
export const dedicatedConnectionLayer = ({ idleTransaction, lockWait, statement }: ConnectionLimits) =>
  PgClient.layerFrom(
    Effect.flatMap(PgClient.PgClient, ({ config }) => {
      const { url } = config
      // Longer than the server's limit, so that only an unresponsive server loses the connection.
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
