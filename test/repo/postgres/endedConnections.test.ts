import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Fiber, Queue, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import type { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import {
  ClaimClient,
  databaseLayer,
  dedicatedConnection,
  ListClient,
  ReadClient
} from "../../../src/repo/postgres/database.ts"
import { mapDatabaseErrors } from "../../../src/repo/postgres/databaseErrors.ts"
import { dedicatedConnectionLayer } from "../../../src/repo/postgres/dedicatedConnection.ts"
import { PipelinedTransaction } from "../../../src/repo/postgres/pipelinedTransaction.ts"
import { freshDatabase } from "../../support/database/testDatabase.ts"

const limits = {
  statement: Duration.minutes(1),
  lockWait: Duration.seconds(1),
  idleTransaction: Duration.minutes(1)
}

type Run = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError.SqlError>

/** Runs `use` with each kind of the service's connections, and a function that runs effects on one session. */
const onEach = <A, R>(use: (sql: SqlClient.SqlClient, run: Run) => Effect.Effect<A, never, R>) =>
  Effect.gen(function* () {
    const ordinary = yield* SqlClient.SqlClient
    const pipelined = yield* PipelinedTransaction
    const leases = yield* dedicatedConnection
    return {
      statement: yield* use(ordinary, (effect) => effect),
      transaction: yield* use(ordinary, ordinary.withTransaction),
      pipelined: yield* use(ordinary, pipelined),
      read: yield* use(yield* ReadClient, (effect) => effect),
      list: yield* use(yield* ListClient, (effect) => effect),
      claim: yield* use(yield* ClaimClient, (effect) => effect),
      lease: yield* use(leases, (effect) => effect),
      command: yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => use(sql, sql.withTransaction)),
        dedicatedConnectionLayer(limits),
        { local: true }
      )
    }
  }).pipe(Effect.scoped, Effect.orDie)

const unavailable = {
  statement: "DatabaseUnavailable",
  transaction: "DatabaseUnavailable",
  pipelined: "DatabaseUnavailable",
  read: "DatabaseUnavailable",
  list: "DatabaseUnavailable",
  claim: "DatabaseUnavailable",
  lease: "DatabaseUnavailable",
  command: "DatabaseUnavailable"
}

const nameReason = (reason: Cause.Reason<DatabaseUnavailable>) => {
  if (Cause.isFailReason(reason)) return reason.error._tag
  return Cause.isDieReason(reason) ? "a defect" : "an interruption"
}

/** The name of an effect's result, as its callers see it. */
const outcome = <A, R>(effect: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.map(Effect.exit(mapDatabaseErrors("a test")(effect)), (exit) =>
    Exit.isSuccess(exit) ? "success" : exit.cause.reasons.map(nameReason).join(", ")
  )

/** Connections to a new database with an operator's settings. */
const connections = Effect.fnUntraced(function* (...settings: ReadonlyArray<string>) {
  const url = yield* freshDatabase
  const name = new URL(Redacted.value(url)).pathname.slice(1)
  const admin = yield* PgClient.make({ url, maxConnections: 1 }).pipe(Effect.provide(Reactivity.layer))
  for (const setting of settings) yield* admin.unsafe(`ALTER DATABASE "${name}" SET ${setting}`)
  return { admin, layer: databaseLayer(url) }
})

describe("a connection that the server ends", () => {
  it.live("Whatever exceeds the role's transaction_timeout fails with DatabaseUnavailable", () =>
    Effect.gen(function* () {
      const { layer } = yield* connections("transaction_timeout = '200ms'")
      const outcomes = onEach((sql, run) => outcome(run(sql`SELECT pg_sleep(4)`)))
      assert.deepStrictEqual(yield* Effect.provide(outcomes, layer), unavailable)
    }).pipe(Effect.scoped)
  )

  it.live("A transaction that exceeds it between two statements fails with DatabaseUnavailable", () =>
    Effect.gen(function* () {
      const { admin, layer } = yield* connections("transaction_timeout = '200ms'")
      const outcomes = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const pipelined = yield* PipelinedTransaction
        /** Polls another connection until this session has ended. */
        const sleepy = Effect.gen(function* () {
          const [row] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
          yield* Effect.repeat(admin`SELECT FROM pg_stat_activity WHERE pid = ${row?.pid ?? 0}::int`, {
            until: (rows) => rows.length === 0
          })
          return yield* sql`SELECT 1`
        })
        return [yield* outcome(sql.withTransaction(sleepy)), yield* outcome(pipelined(sleepy))]
      })
      assert.deepStrictEqual(yield* Effect.provide(outcomes, layer), ["DatabaseUnavailable", "DatabaseUnavailable"])
    }).pipe(Effect.scoped)
  )

  it.live("What an administrator terminates fails with DatabaseUnavailable", () =>
    Effect.gen(function* () {
      const { layer } = yield* connections()
      const outcomes = onEach((sql, run) => outcome(run(sql`SELECT pg_terminate_backend(pg_backend_pid())`)))
      assert.deepStrictEqual(yield* Effect.provide(outcomes, layer), unavailable)
    }).pipe(Effect.scoped)
  )

  it.live("What listens when its connection is terminated fails with DatabaseUnavailable", () =>
    Effect.gen(function* () {
      const { admin, layer } = yield* connections()
      const listening = Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const wakeUps = yield* sql.listen("due_targets")
        const waiting = yield* Effect.forkChild(outcome(Queue.take(wakeUps)))
        yield* admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND query ILIKE 'listen%'`
        return yield* Fiber.join(waiting)
      }).pipe(Effect.scoped)
      assert.strictEqual(yield* Effect.provide(listening, layer), "DatabaseUnavailable")
    }).pipe(Effect.scoped)
  )

  it.live("A role's idle_session_timeout ends neither what listens nor what is kept for later", () =>
    Effect.gen(function* () {
      const { admin, layer } = yield* connections("idle_session_timeout = '50ms'")
      const used = Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const wakeUps = yield* sql.listen("due_targets")
        const { command, lease } = yield* onEach((client, run) =>
          Effect.orDie(run(client<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`))
        )
        const ended = new Set([...command, ...lease].map(({ pid }) => pid))
        const pids = admin<{ readonly pid: number }>`SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'social-publisher' ORDER BY pid`
        // The server takes a while to end the closed connections' sessions.
        yield* Effect.repeat(pids, { until: (rows) => !rows.some(({ pid }) => ended.has(pid)) })
        const before = yield* pids
        yield* admin`SELECT pg_sleep(0.3)`
        assert.deepStrictEqual(yield* pids, before)
        yield* sql`SELECT pg_notify('due_targets', 'now')`
        return (yield* Queue.take(wakeUps)).payload
      }).pipe(Effect.scoped)
      assert.strictEqual(yield* Effect.provide(used, layer), "now")
    }).pipe(Effect.scoped)
  )
})
