import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import { Notifier } from "../../../src/notifier/Notifier.ts"
import { CredentialCipher } from "../../../src/repo/integrations/CredentialCipher.ts"
import { ClaimClient, databaseLayer, type ListClient, type ReadClient } from "../../../src/repo/postgres/database.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { tenantConnectionsLayer } from "./tenantPolicies.ts"

const makeDatabase = Effect.fn("makeDatabase")(function* (template: string) {
  const server = new URL(inject("templateUrl"))
  const name = `test_${randomUUID().replaceAll("-", "")}`
  const admin = new URL("/postgres", server)
  const run = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(admin.href), maxConnections: 1 }))
    )
  // FILE_COPY takes a sixth of the processor time of WAL_LOG, which logs every page.
  yield* Effect.acquireRelease(
    Effect.orDie(run(`CREATE DATABASE ${name} TEMPLATE "${template}" STRATEGY FILE_COPY`)),
    // PostgreSQL refuses this while autovacuum, a superuser's process, works on the database. The run's end removes the
    // server's directory anyway.
    () => Effect.ignore(run(`DROP DATABASE ${name} WITH (FORCE)`))
  )
  const url = new URL(server)
  url.pathname = `/${name}`
  return Redacted.make(url.href)
})

/** A copy of the migrated template, dropped with the scope. */
export const freshDatabase = Effect.suspend(() => makeDatabase(new URL(inject("templateUrl")).pathname.slice(1)))

/** A copy of a database without connections, dropped with the scope. */
export const copyDatabase = (url: Redacted.Redacted) => makeDatabase(new URL(Redacted.value(url)).pathname.slice(1))

/** A database without tables, dropped with the scope. */
export const emptyDatabase = makeDatabase("template0")

type Connections = SqlClient.SqlClient | PgClient.PgClient | ReadClient | ListClient | ClaimClient

const cipher = CredentialCipher.layer([Redacted.make(new Uint8Array(32).fill(7))]).pipe(Layer.provide(NodeCrypto.layer))

/**
 * Connections use real time; otherwise a test that advances its clock by weeks would run a pool's periodic work a
 * million times.
 */
const realTime = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

/** Claims run at the same time, like those of several processes, and join a test's transactions. */
const claimsOnOrdinaryConnections = Layer.effect(ClaimClient, SqlClient.SqlClient)

/**
 * Repo and Notifier on a fresh database, with its SqlClient. In the project "policed", a statement fails if it reaches
 * another workspace's row.
 */
export const repoLayer = Layer.unwrap(
  Effect.map(freshDatabase, (url) =>
    Notifier.layer.pipe(
      Layer.provideMerge(Repo.layer),
      Layer.provide([cipher, NodeCrypto.layer]),
      Layer.provideMerge(
        claimsOnOrdinaryConnections.pipe(
          Layer.provideMerge(inject("tenancyPoliced") ? tenantConnectionsLayer(url) : databaseLayer(url)),
          Layer.provide(realTime)
        )
      )
    )
  )
)

/** A Repo on this database. Its encryption key is 32 bytes of 7. */
export const repoOf = (url: Redacted.Redacted) =>
  Repo.layer.pipe(Layer.provide([cipher, NodeCrypto.layer]), Layer.provideMerge(databaseLayer(url)))

/** A second Repo on the same database, like another process's. `Layer.fresh` avoids the memoized layer. */
export const anotherRepo = Effect.gen(function* () {
  const connections = Layer.succeedContext(yield* Effect.context<Connections>())
  const built = yield* Layer.build(Layer.fresh(Repo.layer).pipe(Layer.provide([cipher, NodeCrypto.layer, connections])))
  return Context.get(built, Repo)
})
