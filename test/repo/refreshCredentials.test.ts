import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../src/repo/Repo.ts"
import { repoLayer } from "../support/database.ts"
import { makeWorkspace } from "../support/fixtures.ts"

/** Ends every connection of this database but the one that asks. */
const endConnections = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
})

layer(repoLayer, { excludeTestServices: true })("Renewed credentials", (it) => {
  it.effect("are stored even if the connection is lost while they are renewed, because the old ones may be spent", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const workspace = yield* makeWorkspace(["twitter"])
      const [account] = yield* integrations.list(workspace)
      assert.isDefined(account)
      if (account === undefined) return
      const seen = yield* integrations.credentials(account.id)
      const outsideTheTransaction = Effect.runPromiseWith(yield* Effect.context<SqlClient.SqlClient>())
      let renewals = 0
      const renew = Effect.gen(function* () {
        renewals++
        yield* Effect.promise(() => outsideTheTransaction(endConnections))
        return Redacted.make("renewed")
      })
      const refreshed = yield* integrations.refreshCredentials(account.id, seen, renew)
      assert.strictEqual(Redacted.value(refreshed), "renewed")
      assert.strictEqual(Redacted.value(yield* integrations.credentials(account.id)), "renewed")
      assert.strictEqual(renewals, 1)
    })
  )
})
