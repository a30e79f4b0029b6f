import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

layer(repoLayer)("The database", (it) => {
  it.effect("ends statements, waits for locks and idle transactions that take too long", () =>
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
    ["waits too long for an answer", ["SET LOCAL statement_timeout = 20", "SELECT pg_sleep(60)"]]
  ] as const)("is said to be away where a transaction %s, which is undone, and serves the next", ([, trouble]) =>
    Effect.gen(function* () {
      const { transaction, workspaces } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const troubled = Effect.andThen(
        workspaces.create("Half written"),
        Effect.forEach(trouble, (statement) => sql.unsafe(statement))
      )
      assert.strictEqual((yield* Effect.flip(transaction(troubled)))._tag, "DatabaseUnavailable")
      assert.deepStrictEqual(yield* workspaces.list, [])
    })
  )
})
