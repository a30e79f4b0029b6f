import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import {
  ClaimClient,
  databaseLayer,
  dedicatedConnection,
  ListClient,
  ReadClient
} from "../../../src/repo/postgres/database.ts"
import { dedicatedConnectionLayer } from "../../../src/repo/postgres/dedicatedConnection.ts"
import { findMissing } from "../../../src/repo/postgres/settings.ts"
import { PipelinedTransaction } from "../../../src/repo/postgres/pipelinedTransaction.ts"
import { freshDatabase } from "../../support/database/testDatabase.ts"

/** A new database with an operator's settings. */
const databaseWith = Effect.fnUntraced(function* (...settings: ReadonlyArray<string>) {
  const url = yield* freshDatabase
  const name = new URL(Redacted.value(url)).pathname.slice(1)
  yield* Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    for (const setting of settings) yield* sql.unsafe(`ALTER DATABASE "${name}" SET ${setting}`)
  }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
  return url
})

const limits = {
  statement: Duration.minutes(1),
  lockWait: Duration.seconds(1),
  idleTransaction: Duration.seconds(1)
}

/** A setting's value on each kind of the service's connections. */
const settingOnEach = (setting: string) =>
  Effect.gen(function* () {
    const read = (sql: SqlClient.SqlClient) =>
      Effect.map(sql<{ readonly value: string }>`SELECT current_setting(${setting}) AS value`, ([row]) => row?.value)
    const ordinary = yield* SqlClient.SqlClient
    const pipelined = yield* PipelinedTransaction
    return {
      ordinary: yield* read(ordinary),
      transaction: yield* ordinary.withTransaction(read(ordinary)),
      pipelined: yield* pipelined(read(ordinary)),
      reads: yield* read(yield* ReadClient),
      lists: yield* read(yield* ListClient),
      claims: yield* read(yield* ClaimClient),
      listening: yield* read(yield* PgClient.PgClient),
      leases: yield* Effect.flatMap(dedicatedConnection, read),
      commands: yield* Effect.provide(Effect.flatMap(SqlClient.SqlClient, read), dedicatedConnectionLayer(limits), {
        local: true
      })
    }
  }).pipe(Effect.scoped)

const each = (value: string) => ({
  ordinary: value,
  transaction: value,
  pipelined: value,
  reads: value,
  lists: value,
  claims: value,
  listening: value,
  leases: value,
  commands: value
})

describe("databaseLayer of a role or database with settings of its own", () => {
  it.live.each([
    ["synchronous_commit", "off", "on"],
    ["default_transaction_isolation", "repeatable read", "read committed"],
    ["default_transaction_deferrable", "on", "off"],
    ["idle_session_timeout", "10ms", "0"]
  ] as const)("No connection takes over that %s is '%s'", ([setting, given, expected]) =>
    Effect.gen(function* () {
      const url = yield* databaseWith(`${setting} = '${given}'`)
      assert.deepStrictEqual(yield* Effect.provide(settingOnEach(setting), databaseLayer(url)), each(expected))
    })
  )
})

describe("findMissing", () => {
  const settings = (level: string, standbys: string, role = "origin") =>
    new Map([
      ["statement_timeout", "5000"],
      ["lock_timeout", "4000"],
      ["idle_in_transaction_session_timeout", "30000"],
      ["default_transaction_deferrable", "off"],
      ["default_transaction_isolation", "read committed"],
      ["synchronous_commit", level],
      ["synchronous_standby_names", standbys],
      ["session_replication_role", role]
    ])

  it.each([
    ["on", "", true],
    ["remote_apply", "", true],
    ["remote_write", "", true],
    ["local", "", true],
    ["off", "", false],
    ["on", "standby", true],
    ["remote_apply", "standby", true],
    ["remote_write", "standby", false],
    ["local", "standby", false],
    ["off", "standby", false]
  ] as const)(
    "A commit with synchronous_commit = '%s' and the standbys '%s' survives a crash and a failover: %s",
    (level, standbys, isDurable) => {
      assert.deepStrictEqual(findMissing(settings(level, standbys)), {
        ofSession: isDurable ? [] : ["synchronous_commit = 'on'"],
        isDurable,
        firesTriggers: true
      })
    }
  )

  it("A role of replication fires no triggers", () => {
    assert.isFalse(findMissing(settings("on", "", "replica")).firesTriggers)
    assert.isTrue(findMissing(settings("on", "", "local")).firesTriggers)
  })
})
