import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"

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

  it.effect(
    "are asked for three at a time, so that a platform that does not answer leaves the rest of the service its connections",
    () =>
      Effect.gen(function* () {
        const { integrations, ping } = yield* Repo
        const answer = yield* Deferred.make<Redacted.Redacted>()
        const asked = yield* Queue.unbounded<void>()
        const renew = Effect.andThen(Queue.offer(asked, undefined), Deferred.await(answer))
        const refresh = Effect.gen(function* () {
          const [account] = yield* integrations.list(yield* makeWorkspace(["twitter"]))
          const { id } = account ?? (yield* Effect.die("There is no account"))
          return yield* integrations.refreshCredentials(id, yield* integrations.credentials(id), renew)
        })
        const all = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 12 }, () => refresh),
            { concurrency: 12 }
          )
        )
        yield* Queue.takeN(asked, 3)
        yield* ping
        assert.strictEqual(yield* Queue.size(asked), 0)
        yield* Deferred.succeed(answer, Redacted.make("renewed"))
        assert.lengthOf(yield* Fiber.join(all), 12)
      })
  )

  it.effect("are stored even if whoever asked for them is interrupted, because the old ones may be spent", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const [account] = yield* integrations.list(yield* makeWorkspace(["twitter"]))
      const { id } = account ?? (yield* Effect.die("There is no account"))
      const asked = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<Redacted.Redacted>()
      const renew = Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answer))
      const seen = yield* integrations.credentials(id)
      const asking = yield* Effect.forkChild(integrations.refreshCredentials(id, seen, renew))
      yield* Deferred.await(asked)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(asking), { startImmediately: true })
      yield* Deferred.succeed(answer, Redacted.make("renewed"))
      yield* Fiber.join(interrupting)
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "renewed")
    })
  )

  it.effect("do not keep anybody from posting while the platform is asked for them", () =>
    Effect.gen(function* () {
      const { integrations, posts } = yield* Repo
      const workspace = yield* makeWorkspace(["twitter"])
      const [account] = yield* integrations.list(workspace)
      const { id } = account ?? (yield* Effect.die("There is no account"))
      const renew = Effect.as(posts.create(workspace, plan(null)), Redacted.make("renewed"))
      yield* integrations.refreshCredentials(id, yield* integrations.credentials(id), renew)
    })
  )
})
