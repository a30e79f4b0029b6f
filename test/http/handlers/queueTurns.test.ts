import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeTeam, type Team } from "../../support/http/team.ts"

// Not policed: it is about connections and waits, which the policies change. Other files run its statements.

layer(databaseServerLayer())("slots of the queue", (it) => {
  it.effect("A workspace whose posts wait for slots keeps no other waiting, and takes one connection", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const sql = yield* SqlClient.SqlClient
      const [busy, other] = [yield* makeTeam, yield* makeTeam]
      const create = ({ key }: Team, more: object) =>
        sendJson(`${url}/v1/posts`, "POST", keyHeaders(key), { content: "Hello", platforms: ["twitter"], ...more })
      const inSlot = { schedule: "next_slot" }
      const [held, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holding = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('slots/' || ${busy.workspaceId}::uuid, 0))`
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(done)
          })
        )
        .pipe(Effect.forkScoped)
      yield* Deferred.await(held)
      const waiting = yield* Effect.forEach(Array.from({ length: 30 }), () => Effect.forkScoped(create(busy, inSlot)))
      const others = yield* Effect.all([create(other, inSlot), create(other, {}), create(busy, {})], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        others.map(({ status }) => status),
        [201, 201, 201]
      )
      const [locks] = yield* sql`SELECT count(*)::int AS waiting FROM pg_locks
        WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
      assert.isAtMost(Number(locks?.["waiting"]), 1)
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(holding)
      const created = yield* Fiber.joinAll(waiting)
      assert.strictEqual(new Set(created.map(({ body }) => body.scheduled_at)).size, 30)
    }).pipe(Effect.scoped)
  )
})
