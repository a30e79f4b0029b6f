import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Option, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { Scope } from "../../../src/domain/apiKey.ts"
import { ApiKeyId } from "../../../src/domain/ids.ts"
import { NotFound } from "../../../src/domain/errors.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { sessionLifetime } from "../../../src/domain/session.ts"
import { repoLayer } from "../../support/database.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

const newKey = (
  workspaceId: Effect.Success<ReturnType<typeof makeWorkspace>>,
  expiresIn: Duration.Duration | null = null
) => ({
  workspaceId,
  name: "key",
  scopes: Scope.literals,
  requiresApproval: false,
  expiresIn
})

layer(repoLayer)("Access", (it) => {
  it.effect("a key opens its workspace until it is revoked, and only its hash is stored", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const workspace = yield* makeWorkspace([])
      const { key, stored } = yield* apiKeys.create(newKey(workspace))
      const holder = Option.getOrThrow(yield* apiKeys.find(key))
      assert.deepStrictEqual(holder, {
        keyId: stored.id,
        workspaceId: workspace,
        scopes: [...Scope.literals],
        requiresApproval: false
      })
      const sql = yield* SqlClient.SqlClient
      const kept = JSON.stringify(yield* sql`SELECT * FROM api_keys`)
      assert.notInclude(kept, Redacted.value(key))
      assert.isNotNull((yield* apiKeys.revoke(stored.id)).revokedAt)
      assert.isTrue(Option.isNone(yield* apiKeys.find(key)))
    })
  )

  it.effect("a key with an end opens nothing after it", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const { key } = yield* apiKeys.create(newKey(yield* makeWorkspace([]), Duration.minutes(1)))
      assert.isTrue(Option.isSome(yield* apiKeys.find(key)))
      yield* TestClock.adjust("1 minute")
      assert.isTrue(Option.isNone(yield* apiKeys.find(key)))
    })
  )

  it.effect("an unknown key can't be revoked", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const error = yield* Effect.flip(apiKeys.revoke(ApiKeyId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba44")))
      assert.strictEqual(error._tag, "NotFound")
    })
  )

  it.effect("a user logs in with their password alone, whatever the case of the address", () =>
    Effect.gen(function* () {
      const { users } = yield* Repo
      const workspace = yield* makeWorkspace([])
      const made = yield* users.create(workspace, "Ada@Example.com", Redacted.make("correct horse"))
      const user = yield* users.authenticate("ada@example.COM", Redacted.make("correct horse"))
      assert.deepStrictEqual(user, { id: made.id, email: "ada@example.com", workspaceIds: [workspace] })
      for (const [email, password] of [
        ["ada@example.com", "wrong"],
        ["nobody@example.com", "correct horse"]
      ] as const) {
        assert.strictEqual(
          (yield* Effect.flip(users.authenticate(email, Redacted.make(password))))._tag,
          "WrongCredentials"
        )
      }
      const again = yield* Effect.flip(users.create(workspace, "ADA@example.com", Redacted.make("other")))
      assert.strictEqual(again._tag, "EmailTaken")
    })
  )

  it.effect("a session lasts until it is ended or runs out", () =>
    Effect.gen(function* () {
      const { sessions, users } = yield* Repo
      const workspace = yield* makeWorkspace([])
      const { id } = yield* users.create(workspace, "grace@example.com", Redacted.make("password"))
      const holder = { userId: id, workspaceId: workspace }
      const { token: first } = yield* sessions.open(holder)
      const { token: second } = yield* sessions.open(holder)
      assert.deepStrictEqual(yield* sessions.find(first), Option.some(holder))
      yield* sessions.end(first)
      yield* sessions.end(first)
      assert.isTrue(Option.isNone(yield* sessions.find(first)))
      assert.isTrue(Option.isSome(yield* sessions.find(second)))
      yield* TestClock.adjust(sessionLifetime)
      assert.isTrue(Option.isNone(yield* sessions.find(second)))
    })
  )

  it.effect("a request with an idempotency key is carried out once, and answered alike after that for a day", () =>
    Effect.gen(function* () {
      const { idempotency } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      let times = 0
      const count = Effect.sync(() => ++times)
      const once = (request: string) => idempotency.once({ workspaceId, key: "k", request }, Schema.Int, count)
      assert.deepStrictEqual(yield* once("POST /a"), { answer: 1, replayed: false })
      assert.deepStrictEqual(yield* once("POST /a"), { answer: 1, replayed: true })
      assert.strictEqual((yield* Effect.flip(once("POST /b")))._tag, "IdempotencyMismatch")
      yield* TestClock.adjust("24 hours")
      assert.deepStrictEqual(yield* once("POST /b"), { answer: 2, replayed: false })
    })
  )

  it.effect("a request that fails keeps nothing, and one that has not ended refuses its repetition", () =>
    Effect.gen(function* () {
      const { idempotency } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      const name = { workspaceId, key: "k", request: "POST /a" }
      const failed = yield* Effect.flip(idempotency.once(name, Schema.Int, Effect.fail(new NotFound({ message: "" }))))
      assert.strictEqual(failed._tag, "NotFound")
      const begun = yield* Deferred.make<void>()
      const end = yield* Deferred.make<number>()
      const first = yield* Effect.forkChild(
        idempotency.once(name, Schema.Int, Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end)))
      )
      yield* Deferred.await(begun)
      assert.strictEqual(
        (yield* Effect.flip(idempotency.once(name, Schema.Int, Effect.succeed(2))))._tag,
        "IdempotencyInFlight"
      )
      yield* Deferred.succeed(end, 1)
      assert.deepStrictEqual(yield* Fiber.join(first), { answer: 1, replayed: false })
      assert.deepStrictEqual(yield* idempotency.once(name, Schema.Int, Effect.succeed(2)), {
        answer: 1,
        replayed: true
      })
    })
  )
})
