import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { makeMeteredSocket } from "./meteredSocket.ts"
import { makePipelinedTransaction, pipelinedConnections } from "./pipelinedTransaction.ts"
import { sessionSettings } from "./settings.ts"
import { readTlsOptions } from "./tlsOptions.ts"

/** Longer than the server's own statement timeout, so that only a server that doesn't respond loses the connection. */
const responseTimeout = Duration.seconds(6)

/** Two of them listen, for as long as the service runs; with a pooler those are beside these. */
const maxConnections = 10
const listeningConnections = 2

/** Connections that short reads share, and how many of these one connection pipelines. */
const readConnections = 4
const readsPerConnection = 16

/** Connections beside the pool: see `dedicatedConnection`. */
const dedicatedConnections = 1

/**
 * The most connections of a process: `all`, and `direct` to PostgreSQL. With a pooler only those that keep a session
 * are direct.
 */
export const connectionsOf = (hasPooler: boolean) => {
  const pooled = maxConnections + pipelinedConnections + readConnections
  return hasPooler
    ? { all: pooled + dedicatedConnections + listeningConnections, direct: dedicatedConnections + listeningConnections }
    : { all: pooled + dedicatedConnections, direct: pooled + dedicatedConnections }
}

/**
 * Runs short reads outside of transactions: several share a connection and a write to its socket, which costs a fraction of
 * what a round trip of their own does. A read waits for those before it on its connection, and one that is interrupted runs
 * to its end or to the statement timeout.
 */
export class ReadClient extends Context.Service<ReadClient, SqlClient.SqlClient>()(
  "social-publisher/repo/ReadClient"
) {}

/**
 * Without this the plan that PostgreSQL keeps for a prepared statement from when a table was small would read all of it for each
 * row that is looked up. Not for short reads: it raises the estimate of what a list of posts looks up and seldom finds so much that
 * PostgreSQL plans each list again.
 */
const indexesAlone = { enable_seqscan: "off" } as const

/** A batch waits for a row that somebody has locked while others wait for the batch, and its members wait longer, each alone. */
const briefLockWait = { lock_timeout: "1s" } as const

/**
 * Pools of connections to PostgreSQL: an ordinary one, and one for short reads. The server itself ends statements, lock
 * waits and idle transactions that take too long, and confirms a commit once a crash can't undo it.
 *
 * With `directUrl`, `url` is a pooler that gives each transaction another session, such as PgBouncer's. Nothing is
 * prepared or set on its connections then, so that the role has to have the settings: see `missingSettings`. `PgClient`
 * connects to `directUrl`: it listens, and the connections that keep a session are made as it is configured.
 */
export const databaseLayer = (url: Redacted.Redacted, directUrl?: Redacted.Redacted) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const connect = yield* makeMeteredSocket(connectionsOf(directUrl !== undefined).all, responseTimeout)
      const configure = Effect.fnUntraced(function* (target: Redacted.Redacted) {
        const ssl = yield* readTlsOptions(target)
        return {
          url: target,
          stream: () => connect(new URL(Redacted.value(target))),
          applicationName: "social-publisher",
          connectTimeout: "4 seconds",
          startupParameters: sessionSettings,
          ...(ssl === undefined ? {} : { ssl })
        } as const
      })
      const session = yield* configure(directUrl ?? url)
      const pooled =
        directUrl === undefined
          ? session
          : { ...(yield* configure(url)), startupParameters: { TimeZone: "UTC" }, prepare: false }
      const startupParameters =
        directUrl === undefined ? { ...session.startupParameters, ...indexesAlone } : pooled.startupParameters
      const client = yield* PgClient.make({ ...pooled, startupParameters, maxConnections })
      const pipelined = yield* makePipelinedTransaction(client, {
        ...pooled,
        startupParameters: directUrl === undefined ? { ...startupParameters, ...briefLockWait } : startupParameters
      })
      const reads = yield* PgClient.make({
        ...pooled,
        maxConnections: readConnections,
        multiplex: true,
        multiplexConcurrency: readsPerConnection
      })
      const listening =
        directUrl === undefined ? client : yield* PgClient.make({ ...session, maxConnections: listeningConnections })
      return Context.make(PgClient.PgClient, listening).pipe(
        Context.add(SqlClient.SqlClient, client),
        Context.add(ReadClient, reads),
        Context.merge(pipelined)
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
