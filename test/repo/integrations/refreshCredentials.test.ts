import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Queue, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { RenewedAccess } from "../../../src/domain/accounts/integration.ts"
import type { IntegrationId } from "../../../src/domain/ids.ts"
import { NeedsReauthorization, Unavailable } from "../../../src/domain/publishing/platformError.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { anotherRepo, repoLayer } from "../../support/database/testDatabase.ts"
import { plan } from "../../support/database/fixtures.ts"
import { makeConnectedAccount } from "./connectedAccount.ts"

const renewedTo = (credentials: string): RenewedAccess => ({ credentials: Redacted.make(credentials) })

/** A platform that responds once the test completes `response`. */
const makeHeldPlatform = Effect.gen(function* () {
  const asked = yield* Queue.unbounded<void>()
  const response = yield* Deferred.make<RenewedAccess, Unavailable | NeedsReauthorization>()
  return { asked, response, renew: Effect.andThen(Queue.offer(asked, undefined), Deferred.await(response)) }
})

/** Makes the database refuse to store renewed credentials, for this many tries, in the way that `how` names. */
const refuseStores = Effect.fnUntraced(function* (tries: number, how: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`DROP TRIGGER IF EXISTS refuse_stores ON integrations`)
  yield* sql.unsafe(`DROP SEQUENCE IF EXISTS refused_stores`)
  yield* sql.unsafe(`CREATE SEQUENCE refused_stores`)
  yield* sql.unsafe(`CREATE OR REPLACE FUNCTION refuse_stores() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('refused_stores') <= ${tries} THEN ${how}; END IF;
    RETURN NEW; END $$`)
  yield* sql.unsafe(`CREATE TRIGGER refuse_stores BEFORE UPDATE ON integrations FOR EACH ROW
    WHEN (OLD.credentials IS DISTINCT FROM NEW.credentials) EXECUTE FUNCTION refuse_stores()`)
})

const endRefusals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`DROP TRIGGER IF EXISTS refuse_stores ON integrations`)
})

/** Waits until the expected credentials are stored, as read by a process that caches none. */
const untilStored = Effect.fnUntraced(function* (id: IntegrationId, expected: string) {
  const { integrations } = yield* anotherRepo
  yield* Effect.repeat(integrations.credentials(id), { until: (stored) => Redacted.value(stored) === expected })
})

/** The time in which a process that waits for another's renewal polls twice. */
const pollTwice = Duration.millis(250)

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

  it.effect("Renewals of 40 accounts whose platform hangs hold no connection: a post is created meanwhile", () =>
    Effect.gen(function* () {
      const { integrations, posts } = yield* Repo
      const { workspace } = yield* makeConnectedAccount
      const platform = yield* makeHeldPlatform
      const refresh = Effect.gen(function* () {
        const { id } = yield* makeConnectedAccount
        return yield* integrations.refreshCredentials(id, yield* integrations.credentials(id), platform.renew)
      })
      const all = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 40 }, () => refresh),
          { concurrency: 40 }
        )
      )
      yield* Queue.takeN(platform.asked, 40)
      yield* posts.create(workspace, plan(null))
      yield* Deferred.succeed(platform.response, renewedTo("renewed"))
      assert.lengthOf(yield* Fiber.join(all), 40)
    })
  )

  it.effect("Renewals of 40 accounts at once end shortly after the platform has responded", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const accounts = yield* Effect.all(
        Array.from({ length: 40 }, () => makeConnectedAccount),
        { concurrency: 10 }
      )
      const renew = Effect.delay(Effect.succeed(renewedTo("renewed")), "400 millis")
      const [took] = yield* Effect.timed(
        Effect.forEach(
          accounts,
          ({ id }) =>
            Effect.flatMap(integrations.credentials(id), (old) => integrations.refreshCredentials(id, old, renew)),
          { concurrency: "unbounded" }
        )
      )
      // In groups of three, one after the other, the renewals would take more than five seconds.
      assert.isBelow(Duration.toMillis(took), 4_000)
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
      const renew = Effect.as(Effect.orDie(posts.create(workspace, plan(null))), renewedTo("renewed"))
      yield* integrations.refreshCredentials(id, yield* integrations.credentials(id), renew)
    })
  )

  it.effect("Those who ask within a process share one renewal, and what it fails with", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const { id } = yield* makeConnectedAccount
      const expired = yield* integrations.credentials(id)
      for (const outcome of [Exit.fail(new Unavailable({ message: "down" })), Exit.succeed(renewedTo("renewed"))]) {
        const platform = yield* makeHeldPlatform
        const all = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 5 }, () =>
              Effect.result(integrations.refreshCredentials(id, expired, platform.renew))
            ),
            { concurrency: "unbounded" }
          )
        )
        yield* Queue.take(platform.asked)
        yield* Deferred.done(platform.response, outcome)
        const results = yield* Fiber.join(all)
        assert.strictEqual(new Set(results.map((result) => JSON.stringify(result))).size, 1)
        assert.strictEqual(yield* Queue.size(platform.asked), 0)
      }
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "renewed")
    })
  )

  it.effect("Two processes renew the access of an account once", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const other = yield* anotherRepo
      const { id } = yield* makeConnectedAccount
      const expired = yield* integrations.credentials(id)
      const platform = yield* makeHeldPlatform
      const first = yield* Effect.forkChild(integrations.refreshCredentials(id, expired, platform.renew))
      yield* Queue.take(platform.asked)
      const second = yield* Effect.forkChild(other.integrations.refreshCredentials(id, expired, platform.renew))
      yield* Effect.sleep(pollTwice)
      assert.strictEqual(yield* Queue.size(platform.asked), 0)
      yield* Deferred.succeed(platform.response, renewedTo("renewed"))
      assert.strictEqual(Redacted.value(yield* Fiber.join(first)), "renewed")
      assert.strictEqual(Redacted.value(yield* Fiber.join(second)), "renewed")
      assert.strictEqual(yield* Queue.size(platform.asked), 0)
    })
  )

  it.effect("A renewal that fails leaves the credentials and lets another process renew them at once", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const other = yield* anotherRepo
      const { id } = yield* makeConnectedAccount
      const expired = yield* integrations.credentials(id)
      const refused = new Unavailable({ message: "refused" })
      assert.strictEqual(
        yield* Effect.flip(integrations.refreshCredentials(id, expired, Effect.fail(refused))),
        refused
      )
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "credentials of twitter")
      const renewed = yield* other.integrations.refreshCredentials(id, expired, Effect.succeed(renewedTo("renewed")))
      assert.strictEqual(Redacted.value(renewed), "renewed")
    })
  )

  it.effect("The renewal of a process that is gone is taken over once its lease has ended", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { integrations } = yield* Repo
      const gone = yield* anotherRepo
      const { id } = yield* makeConnectedAccount
      const expired = yield* integrations.credentials(id)
      const platform = yield* makeHeldPlatform
      const late = yield* Effect.forkChild(gone.integrations.refreshCredentials(id, expired, platform.renew))
      yield* Queue.take(platform.asked)
      const renewal = yield* Effect.forkChild(
        integrations.refreshCredentials(id, expired, Effect.succeed(renewedTo("taken over")))
      )
      yield* Effect.sleep(pollTwice)
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "credentials of twitter")
      yield* sql`UPDATE integrations SET renewal_until = clock_timestamp() WHERE id = ${id}::uuid`
      assert.strictEqual(Redacted.value(yield* Fiber.join(renewal)), "taken over")
      // The first process gets its result late, and does not replace the newer result.
      yield* Deferred.succeed(platform.response, renewedTo("late"))
      assert.strictEqual(Redacted.value(yield* Fiber.join(late)), "taken over")
      yield* untilStored(id, "taken over")
    })
  )

  const stores = {
    "the connection is lost": "PERFORM pg_terminate_backend(pg_backend_pid())",
    "the transaction has lasted too long": "RAISE EXCEPTION USING ERRCODE = '25P04'",
    "the statement is wrong": "RAISE EXCEPTION USING ERRCODE = '22012'"
  }
  for (const [title, how] of Object.entries(stores)) {
    it.effect(
      `Renewed credentials are used and kept in the process until they are stored, although ${title} first`,
      () =>
        Effect.gen(function* () {
          const { integrations } = yield* Repo
          const { id } = yield* makeConnectedAccount
          const expired = yield* integrations.credentials(id)
          yield* refuseStores(1, how)
          const renewed = yield* integrations.refreshCredentials(id, expired, Effect.succeed(renewedTo("renewed")))
          assert.strictEqual(Redacted.value(renewed), "renewed")
          assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "renewed")
          yield* untilStored(id, "renewed")
          yield* endRefusals
        })
    )
  }

  it.effect("A lease that ends later than any process would set it holds nobody up", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { integrations } = yield* Repo
      const { id } = yield* makeConnectedAccount
      const expired = yield* integrations.credentials(id)
      yield* sql`UPDATE integrations SET renewal_token = gen_random_uuid(), renewal_until = 'infinity' WHERE id = ${id}::uuid`
      const renewed = yield* integrations.refreshCredentials(id, expired, Effect.succeed(renewedTo("renewed")))
      assert.strictEqual(Redacted.value(renewed), "renewed")
    })
  )

  it.effect("A refusal does not count where others have stored new credentials meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { integrations } = yield* Repo
      const { id } = yield* makeConnectedAccount
      const expired = yield* integrations.credentials(id)
      const platform = yield* makeHeldPlatform
      const renewal = yield* Effect.forkChild(integrations.refreshCredentials(id, expired, platform.renew))
      yield* Queue.take(platform.asked)
      // As the previous version does, which doesn't use leases.
      const other = yield* anotherRepo
      yield* sql`UPDATE integrations SET renewal_token = NULL, renewal_until = NULL WHERE id = ${id}::uuid`
      yield* other.integrations.refreshCredentials(id, expired, Effect.succeed(renewedTo("of another version")))
      yield* Deferred.fail(platform.response, new NeedsReauthorization({ message: "spent" }))
      assert.strictEqual(Redacted.value(yield* Fiber.join(renewal)), "of another version")
    })
  )

  it.effect("A renewal stores by the database's clock until when the access lasts, and connecting forgets it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { integrations } = yield* Repo
      const { id, workspace } = yield* makeConnectedAccount
      const left = sql<{ readonly seconds: number | null }>`
        SELECT extract(epoch FROM access_until - clock_timestamp())::float8 AS seconds
        FROM integrations WHERE id = ${id}::uuid`
      const renewed = { ...renewedTo("renewed"), lifetime: Duration.hours(2) }
      yield* integrations.refreshCredentials(id, yield* integrations.credentials(id), Effect.succeed(renewed))
      assert.closeTo((yield* left)[0]?.seconds ?? 0, 7_200, 20)
      yield* integrations.connect(workspace, {
        platform: "twitter",
        accountId: "account-twitter",
        username: "team",
        displayName: null,
        avatarUrl: null,
        serviceUrl: null,
        credentials: Redacted.make("again")
      })
      assert.deepStrictEqual(yield* left, [{ seconds: null }])
    })
  )
})
