import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { inConnectionTurns } from "./connectionTurns.ts"
import { makeMeteredSocket } from "./meteredSocket.ts"
import { makePipelinedTransaction, pipelinedConnections } from "./pipelinedTransaction.ts"
import { sessionSettings } from "./settings.ts"
import { readTlsOptions } from "./tlsOptions.ts"

/** Longer than the statement timeout, so that only an unresponsive server loses the connection. */
const responseTimeout = Duration.seconds(6)

/** Two of these listen; with a pooler the two are additional. */
const maxConnections = 10
const listeningConnections = 2

const readConnections = 4
const readsPerConnection = 16

/** As many as lists and searches have turns; see `ListBudget`. */
const listConnections = 2

const claimConnections = 1

const dedicatedConnections = 1

/** `direct` counts connections to PostgreSQL: with a pooler, only those that keep a session. */
export const connectionsOf = (hasPooler: boolean) => {
  const pooled = maxConnections + pipelinedConnections + readConnections + listConnections
  return hasPooler
    ? { all: pooled + dedicatedConnections + listeningConnections, direct: dedicatedConnections + listeningConnections }
    : {
        all: pooled + claimConnections + dedicatedConnections,
        direct: pooled + claimConnections + dedicatedConnections
      }
}

/**
 * Runs short reads outside transactions. Sharing a connection and a socket write costs a fraction of separate round
 * trips. A read waits for earlier reads on its connection. An interrupted read runs to its end or the statement
 * timeout.
 */
export class ReadClient extends Context.Service<ReadClient, SqlClient.SqlClient>()(
  "social-publisher/repo/ReadClient"
) {}

/**
 * Runs searches and large lists, which may take long, so that they take no connection from changes and publishing.
 * Their callers take turns.
 */
export class ListClient extends Context.Service<ListClient, SqlClient.SqlClient>()(
  "social-publisher/repo/ListClient"
) {}

/**
 * Runs the claims of due targets, one at a time. Planning a claim takes as long as running it, so one connection keeps
 * the plans. If PostgreSQL refuses this connection, claims use an ordinary one.
 */
export class ClaimClient extends Context.Service<ClaimClient, SqlClient.SqlClient>()(
  "social-publisher/repo/ClaimClient"
) {}

/**
 * Claims hide their values from the planner, so plans for the values are no better. Without this, PostgreSQL makes such
 * plans for the first five runs of a statement, and for many more once the tables have grown or many targets are in
 * flight: a kept plan may cost no more than the average of the plans for the values.
 */
const onePlan = { plan_cache_mode: "force_generic_plan" } as const

/**
 * Without this, a prepared statement's plan from when a table was small would read the whole table for each lookup. Not
 * for short reads: it raises the estimates of lists, whose lookups find less, and PostgreSQL would plan each list
 * again.
 */
const indexesAlone = { enable_seqscan: "off" } as const

/**
 * A batch that waits for a locked row delays the next batches. After this timeout its members wait longer, each alone.
 */
const briefLockWait = { lock_timeout: "1s" } as const

/**
 * With `directUrl`, `url` is a pooler that gives each transaction another session, such as PgBouncer. Nothing is
 * prepared or set on its connections, so the role needs the settings: see `missingSettings`. `PgClient` connects to
 * `directUrl`, because it listens, and all connections that keep a session copy its configuration.
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
      const lists = yield* PgClient.make({ ...pooled, startupParameters, maxConnections: listConnections })
      const ordinary = yield* inConnectionTurns(client)
      const makeClaims = Effect.gen(function* () {
        const own = yield* PgClient.make({
          ...session,
          startupParameters: { ...startupParameters, ...onePlan },
          maxConnections: claimConnections
        })
        return yield* SqlClient.make({
          acquirer: Effect.catch(own.reserve, () => client.reserve),
          compiler: PgClient.makeCompiler(),
          driver: own.driver,
          spanAttributes: [["db.system.name", "postgresql"]]
        })
      })
      const listening =
        directUrl === undefined ? client : yield* PgClient.make({ ...session, maxConnections: listeningConnections })
      return Context.make(PgClient.PgClient, listening).pipe(
        Context.add(SqlClient.SqlClient, ordinary),
        Context.add(ReadClient, reads),
        Context.add(ListClient, lists),
        // A pooler keeps no plans.
        Context.add(ClaimClient, directUrl === undefined ? yield* makeClaims : ordinary),
        Context.merge(pipelined)
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))

/** For statements that must not wait for the pool. Connects on first use, and again after a loss. */
export const dedicatedConnection = Effect.gen(function* () {
  const { config } = yield* PgClient.PgClient
  return yield* PgClient.make({ ...config, maxConnections: dedicatedConnections })
}).pipe(Effect.provide(Reactivity.layer))
