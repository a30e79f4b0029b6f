import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { keysFiber } from "../../src/wiring/keysFiber.ts"
import { Scope } from "../../src/domain/people/apiKey.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { anotherRepo, repoLayer } from "../support/database/testDatabase.ts"

const create = Effect.gen(function* () {
  const { apiKeys } = yield* Repo
  const workspaceId = yield* makeWorkspace([])
  return yield* apiKeys.create({
    workspaceId,
    name: "A key",
    scopes: Scope.literals,
    requiresApproval: false,
    expiresIn: null
  })
})

const opens = (repo: Repo["Service"], key: Redacted.Redacted) => Effect.map(repo.apiKeys.find(key), Option.isSome)

/** Another process with the fiber, once it is told of keys that end. */
const start = Effect.gen(function* () {
  const { apiKeys } = yield* Repo
  const other = yield* anotherRepo
  yield* Layer.build(Layer.provide(keysFiber, Layer.succeed(Repo, other)))
  const isTold = Effect.gen(function* () {
    const { key, stored } = yield* create
    yield* opens(other, key)
    yield* apiKeys.revoke(stored.id)
    return !(yield* opens(other, key))
  })
  // It listens again after a second where it could not begin to, as on a busy machine.
  const untilTold = Effect.repeat(
    Effect.tap(isTold, () => TestClock.adjust("1 second")),
    { until: (told) => told }
  )
  yield* untilTold
  return { other, untilTold }
})

const findListeners = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN%'`
})

/** Ends the connection that listens, and waits until it is gone. */
const cutListener = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  assert.isNotEmpty(yield* findListeners)
  yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query ILIKE 'LISTEN%'`
  yield* Effect.repeat(findListeners, { until: (found) => found.length === 0 })
})

layer(repoLayer)("keysFiber", (it) => {
  it.effect("A process whose connection is lost listens again, and forgets what it knew of keys until then", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const { other, untilTold } = yield* start
      const { key, stored } = yield* create
      yield* cutListener
      assert.isTrue(yield* opens(other, key))
      yield* apiKeys.revoke(stored.id)
      assert.isTrue(yield* opens(other, key), "nobody has told it")
      // For less than the four seconds that it knows a key. It notices the loss a while after the server has ended the connection.
      const listensAgain = Effect.repeat(findListeners, { until: (found) => found.length > 0, times: 500 })
      yield* Effect.repeat(Effect.andThen(TestClock.adjust("1 second"), listensAgain), {
        until: (found) => found.length > 0,
        times: 2
      })
      yield* Effect.repeat(opens(other, key), { while: (isOpen) => isOpen, times: 500 })
      assert.isFalse(yield* opens(other, key))
      yield* untilTold
    })
  )

  it.effect("A process that is told nothing refuses a revoked key after four seconds", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const other = yield* anotherRepo
      const { key, stored } = yield* create
      assert.isTrue(yield* opens(other, key))
      yield* apiKeys.revoke(stored.id)
      yield* TestClock.adjust("3999 millis")
      assert.isTrue(yield* opens(other, key))
      yield* TestClock.adjust("1 millis")
      assert.isFalse(yield* opens(other, key))
    })
  )

  it.effect(
    "Every process reads sessions, members and roles at each request, and knows nothing of them from before",
    () =>
      Effect.gen(function* () {
        const { members, sessions, users } = yield* Repo
        const other = yield* anotherRepo
        const workspaceId = yield* makeWorkspace([])
        const { id: userId } = yield* users.create(workspaceId, "reader@example.com", Redacted.make("a password"))
        const { token } = yield* sessions.open({ userId, workspaceId })
        const role = Effect.map(other.sessions.find(token), (found) => Option.getOrUndefined(found)?.role)
        assert.strictEqual(yield* role, "viewer")
        yield* members.changeRole({ userId, workspaceId }, "editor")
        assert.strictEqual(yield* role, "editor")
        const { token: second } = yield* sessions.open({ userId, workspaceId })
        yield* sessions.end(token)
        assert.isUndefined(yield* role)
        assert.isTrue(Option.isSome(yield* other.sessions.find(second)))
        yield* members.remove({ userId, workspaceId })
        assert.isTrue(Option.isNone(yield* other.sessions.find(second)))
      })
  )
})
