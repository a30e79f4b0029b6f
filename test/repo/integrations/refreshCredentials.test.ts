import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { RenewedAccess } from "../../../src/domain/accounts/integration.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { plan } from "../../support/database/fixtures.ts"
import { makeConnectedAccount } from "./connectedAccount.ts"

/** Terminates all other connections to this database. */
const endConnections = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
})

layer(repoLayer, { excludeTestServices: true })("integrations.refreshCredentials", (it) => {
  it.effect("Renewed credentials are stored although the connection is lost during the renewal", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const { id } = yield* makeConnectedAccount
      const expired = yield* integrations.credentials(id)
      const outsideTheTransaction = Effect.runPromiseWith(yield* Effect.context<SqlClient.SqlClient>())
      let renewals = 0
      const renew = Effect.gen(function* () {
        renewals++
        yield* Effect.promise(() => outsideTheTransaction(endConnections))
        return { credentials: Redacted.make("renewed") }
      })
      const refreshed = yield* integrations.refreshCredentials(id, expired, renew)
      assert.strictEqual(Redacted.value(refreshed), "renewed")
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "renewed")
      assert.strictEqual(renewals, 1)
    })
  )

  it.effect(
    "Three renewals run at a time, so that a platform that does not respond leaves connections for everything else",
    () =>
      Effect.gen(function* () {
        const { integrations, ping } = yield* Repo
        const response = yield* Deferred.make<RenewedAccess>()
        const started = yield* Queue.unbounded<void>()
        const renew = Effect.andThen(Queue.offer(started, undefined), Deferred.await(response))
        const refresh = Effect.gen(function* () {
          const { id } = yield* makeConnectedAccount
          return yield* integrations.refreshCredentials(id, yield* integrations.credentials(id), renew)
        })
        const all = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 12 }, () => refresh),
            { concurrency: 12 }
          )
        )
        yield* Queue.takeN(started, 3)
        yield* ping
        assert.strictEqual(yield* Queue.size(started), 0)
        yield* Deferred.succeed(response, { credentials: Redacted.make("renewed") })
        assert.lengthOf(yield* Fiber.join(all), 12)
      })
  )

  it.effect("Renewed credentials are stored although the caller is interrupted during the renewal", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const { id } = yield* makeConnectedAccount
      const started = yield* Deferred.make<void>()
      const response = yield* Deferred.make<RenewedAccess>()
      const renew = Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(response))
      const expired = yield* integrations.credentials(id)
      const caller = yield* Effect.forkChild(integrations.refreshCredentials(id, expired, renew))
      yield* Deferred.await(started)
      const interruption = yield* Effect.forkChild(Fiber.interrupt(caller), { startImmediately: true })
      yield* Deferred.succeed(response, { credentials: Redacted.make("renewed") })
      yield* Fiber.join(interruption)
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "renewed")
    })
  )

  it.effect("A post can be created for an account while its credentials are renewed", () =>
    Effect.gen(function* () {
      const { integrations, posts } = yield* Repo
      const { id, workspace } = yield* makeConnectedAccount
      const renew = Effect.as(posts.create(workspace, plan(null)), { credentials: Redacted.make("renewed") })
      yield* integrations.refreshCredentials(id, yield* integrations.credentials(id), renew)
    })
  )

  it.effect("Concurrent refreshes of expired credentials renew them once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { integrations } = yield* Repo
      const { id } = yield* makeConnectedAccount
      const expired = yield* integrations.credentials(id)
      const begun = yield* Deferred.make<void>()
      const response = yield* Deferred.make<RenewedAccess>()
      let renewals = 0
      const renew = Effect.suspend(() => {
        renewals += 1
        return Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(response))
      })
      const first = yield* Effect.forkChild(integrations.refreshCredentials(id, expired, renew))
      yield* Deferred.await(begun)
      const others = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 5 }, () => integrations.refreshCredentials(id, expired, renew)),
          { concurrency: "unbounded" }
        )
      )
      // Two of them reach the database; the rest wait for a permit.
      yield* Effect.repeat(
        sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        { until: (waiting) => waiting.length === 2 || renewals > 1 }
      )
      yield* Deferred.succeed(response, { credentials: Redacted.make("renewed") })
      assert.strictEqual(Redacted.value(yield* Fiber.join(first)), "renewed")
      assert.deepStrictEqual(
        (yield* Fiber.join(others)).map(Redacted.value),
        Array.from({ length: 5 }, () => "renewed")
      )
      assert.strictEqual(renewals, 1)
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "renewed")
    })
  )

  it.effect("Credentials are kept if their renewal fails", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const { id } = yield* makeConnectedAccount
      const expired = yield* integrations.credentials(id)
      assert.strictEqual(
        yield* Effect.flip(integrations.refreshCredentials(id, expired, Effect.fail("refused" as const))),
        "refused"
      )
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "credentials of twitter")
    })
  )
})
