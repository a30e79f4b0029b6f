import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { someLockIsAwaited } from "../../support/database/programs.ts"
import { freshDatabase, repoOf } from "../../support/database/testDatabase.ts"
import { lease, makeWebhook, recordEvents, someSlots } from "../../support/database/webhookFixtures.ts"

it.live("A webhook that gets another delivery during a claim has its turn in the next one, with both", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    // A claim reads the time after it has its snapshot. At that moment, this function makes it wait for an advisory
    // lock.
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE SCHEMA paused`
      yield* sql`CREATE FUNCTION paused.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$ BEGIN
          IF current_query() LIKE '%FROM locked JOIN due%' THEN
            PERFORM pg_advisory_lock_shared(42), pg_advisory_unlock_shared(42);
          END IF;
          RETURN pg_catalog.clock_timestamp();
        END $$`
      const [database] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`
      yield* sql.unsafe(`ALTER DATABASE ${database?.name} SET search_path = paused, public, pg_catalog`)
    }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { events, webhooks } = yield* Repo
      const claim = webhooks.claim(someSlots, lease)
      const workspaceId = yield* makeWorkspace([])
      yield* makeWebhook(workspaceId)
      yield* recordEvents(workspaceId, 1)
      yield* events.dispatch(1000)
      const held = yield* Deferred.make<void>()
      const claims = yield* Deferred.make<void>()
      const holding = yield* sql`SELECT pg_advisory_xact_lock(42)`.pipe(
        Effect.andThen(Deferred.succeed(held, undefined)),
        Effect.andThen(Deferred.await(claims)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(held)
      const claiming = yield* Effect.forkChild(claim)
      yield* someLockIsAwaited
      yield* recordEvents(workspaceId, 1)
      yield* events.dispatch(1000)
      yield* Deferred.succeed(claims, undefined)
      yield* Fiber.join(holding)
      assert.deepStrictEqual(yield* Fiber.join(claiming), [])
      assert.lengthOf(yield* claim, 2)
    }).pipe(Effect.provide(repoOf(url)))
  })
)
