import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

layer(repoLayer)("databaseLayer", (it) => {
  it.effect("The server limits the time of statements, lock waits and idle transactions", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const limits = yield* sql`SELECT name, setting::int / 1000 AS seconds FROM pg_settings
        WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') ORDER BY name`
      assert.deepStrictEqual(limits, [
        { name: "idle_in_transaction_session_timeout", seconds: 30 },
        { name: "lock_timeout", seconds: 4 },
        { name: "statement_timeout", seconds: 5 }
      ])
    })
  )

  it.effect.each([
    ["loses its connection", ["SELECT pg_terminate_backend(pg_backend_pid())"]],
    ["finds a server that only reads", ["SET TRANSACTION READ ONLY", "CREATE TABLE written ()"]],
    ["waits too long for a response", ["SET LOCAL statement_timeout = 20", "SELECT pg_sleep(60)"]]
  ] as const)("A transaction that %s fails with DatabaseUnavailable and is rolled back", ([, trouble]) =>
    Effect.gen(function* () {
      const { transaction, workspaces } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const failing = Effect.andThen(
        workspaces.create("Half written"),
        Effect.forEach(trouble, (statement) => sql.unsafe(statement))
      )
      assert.strictEqual((yield* Effect.flip(transaction(failing)))._tag, "DatabaseUnavailable")
      assert.deepStrictEqual(yield* workspaces.list, [])
    })
  )
})
