import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { WorkspaceId } from "../../../src/domain/ids.ts"
import { CurrentRequester, type Requester } from "../../../src/domain/requester.ts"
import { withDatabaseTimeout } from "../../../src/repo/postgres/databaseErrors.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeMember } from "../../support/http/team.ts"

const as = (requester: Requester | undefined) => Effect.provideService(CurrentRequester, requester)

/** The connections for writes; none of them listens here. */
const poolSize = 10
const own = 3

/** Holds a connection each, in transactions, until the scope closes. */
const holdConnections = Effect.fnUntraced(function* (count: number, requester: Requester | undefined) {
  const sql = yield* SqlClient.SqlClient
  const done = yield* Deferred.make<void>()
  const holders = yield* Effect.forEach(
    Array.from({ length: count }),
    Effect.fnUntraced(function* () {
      const held = yield* Deferred.make<void>()
      const holding = sql.withTransaction(
        Effect.andThen(sql`SELECT 1`, Effect.andThen(Deferred.succeed(held, undefined), Deferred.await(done)))
      )
      const holder = yield* Effect.forkChild(as(requester)(holding))
      yield* Deferred.await(held)
      return holder
    })
  )
  yield* Effect.addFinalizer(() => Effect.andThen(Deferred.succeed(done, undefined), Fiber.awaitAll(holders)))
})

const select = Effect.flatMap(SqlClient.SqlClient, (sql) => withDatabaseTimeout("a statement")(sql`SELECT 1`))

layer(repoLayer, { excludeTestServices: true })("turns for connections", (it) => {
  it.effect("A request that waits for its own workspace's connections ends in time, and says so", () =>
    Effect.gen(function* () {
      const requester: WorkspaceId = yield* makeWorkspace()
      yield* holdConnections(own, requester)
      const began = performance.now()
      const error = yield* Effect.flip(as(requester)(select))
      assert.isBelow(performance.now() - began, 5_000)
      assert.strictEqual(error._tag, "DatabaseUnavailable")
      assert.strictEqual(
        error.explanation,
        "Other requests of this workspace hold its places in the database; try again in a few seconds"
      )
      // The log says it too: the database did answer.
      assert.notInclude(error.message, "did not answer")
      yield* as(yield* makeWorkspace())(select)
      yield* as(undefined)(select)
    }).pipe(Effect.scoped)
  )

  it.effect("Statements in a transaction, and batches that it begins, need no further turn", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { integrations, transaction } = yield* Repo
      const requester = yield* makeWorkspace()
      const request = transaction(
        Effect.andThen(sql`SELECT 1`, Effect.andThen(transaction(sql`SELECT 1`), integrations.list(requester)))
      )
      const requests = Array.from({ length: 3 * own }, () => as(requester)(request))
      assert.lengthOf(yield* Effect.all(requests, { concurrency: "unbounded" }), 3 * own)
    })
  )

  it.effect("A request that is interrupted while it waits leaves its place to the next", () =>
    Effect.gen(function* () {
      const requester = yield* makeWorkspace()
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* holdConnections(own, requester)
          const waiting = yield* Effect.forEach(Array.from({ length: 20 }), () =>
            Effect.forkChild(as(requester)(select), { startImmediately: true })
          )
          yield* Fiber.interruptAll(waiting)
        })
      )
      yield* Effect.scoped(holdConnections(own, requester))
    })
  )

  it.effect("A session is found although all connections for writes are held", () =>
    Effect.gen(function* () {
      const { sessions } = yield* Repo
      const workspaceId = yield* makeWorkspace()
      const { id } = yield* makeMember(workspaceId)
      const { token } = yield* sessions.open({ userId: id, workspaceId })
      yield* holdConnections(poolSize, undefined)
      assert.isTrue(Option.isSome(yield* sessions.find(token)))
      assert.isTrue(Option.isNone(yield* sessions.find(Redacted.make("unknown"))))
    }).pipe(Effect.scoped)
  )
})
