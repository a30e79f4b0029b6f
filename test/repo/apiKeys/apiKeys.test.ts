import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Exit, Option, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { formatApiKey, Scope } from "../../../src/domain/apiKey.ts"
import { ApiKeyId } from "../../../src/domain/ids.ts"
import type { NewApiKey } from "../../../src/repo/apiKeys/apiKeys.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { anotherRepo, repoLayer } from "../../support/database/testDatabase.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"

const create = Effect.fn("create")(function* (more: Partial<NewApiKey> = {}) {
  const { apiKeys } = yield* Repo
  const workspaceId = yield* makeWorkspace([])
  return yield* apiKeys.create({
    workspaceId,
    name: "A key",
    scopes: Scope.literals,
    requiresApproval: false,
    expiresIn: null,
    ...more
  })
})

const opens = (key: Redacted.Redacted, repo?: Repo["Service"]) =>
  Effect.gen(function* () {
    const { apiKeys } = repo ?? (yield* Repo)
    return Option.isSome(yield* apiKeys.find(key))
  })

const lastUse = Effect.fn("lastUse")(function* (id: ApiKeyId) {
  const keys = yield* (yield* Repo).apiKeys.list(null)
  return keys.find((key) => key.id === id)?.lastUsedAt ?? null
})

layer(repoLayer)("an API key", (it) => {
  it.effect(
    "that is revoked opens nothing more in the same process, and nothing after five seconds in the others",
    () =>
      Effect.gen(function* () {
        const other = yield* anotherRepo
        const { key, stored } = yield* create()
        assert.deepStrictEqual([yield* opens(key), yield* opens(key, other)], [true, true])
        yield* (yield* Repo).apiKeys.revoke(stored.id)
        assert.isFalse(yield* opens(key))
        yield* TestClock.adjust("5 seconds")
        assert.isFalse(yield* opens(key, other))
      })
  )

  it.effect("is revoked for a process that used it all the time as well", () =>
    Effect.gen(function* () {
      const other = yield* anotherRepo
      const { key, stored } = yield* create()
      yield* opens(key, other)
      yield* TestClock.adjust("3 seconds")
      yield* opens(key, other)
      yield* (yield* Repo).apiKeys.revoke(stored.id)
      yield* TestClock.adjust("3 seconds")
      assert.isFalse(yield* opens(key, other), "what is remembered is not remembered longer by being used")
    })
  )

  it.effect("opens nothing from the moment on that it ends, though it was just seen to be good", () =>
    Effect.gen(function* () {
      const { key } = yield* create({ expiresIn: Duration.seconds(2) })
      yield* TestClock.adjust("1999 millis")
      assert.isTrue(yield* opens(key))
      yield* TestClock.adjust("1 milli")
      assert.isFalse(yield* opens(key))
    })
  )
})

layer(repoLayer)("rotating an API key", (it) => {
  it.effect("makes one that may do the same, and lets the old one end after the overlap", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const old = yield* create({ name: "Bot", scopes: ["posts:read"], requiresApproval: true })
      const { key, stored } = yield* apiKeys.rotate(old.stored.id, Duration.hours(24))
      assert.deepStrictEqual(
        [stored.workspaceId, stored.name, stored.scopes, stored.requiresApproval, stored.expiresAt],
        [old.stored.workspaceId, "Bot", ["posts:read"], true, null]
      )
      assert.notStrictEqual(Redacted.value(key), Redacted.value(old.key))
      const holder = Option.getOrThrow(yield* apiKeys.find(key))
      assert.deepStrictEqual(holder, {
        keyId: stored.id,
        workspaceId: old.stored.workspaceId,
        scopes: ["posts:read"],
        requiresApproval: true
      })
      yield* TestClock.adjust(Duration.subtract(Duration.hours(24), Duration.millis(1)))
      assert.deepStrictEqual([yield* opens(old.key), yield* opens(key)], [true, true])
      yield* TestClock.adjust("1 milli")
      assert.deepStrictEqual([yield* opens(old.key), yield* opens(key)], [false, true])
    })
  )

  it.effect(
    "does not let the old one last longer than it was meant to, and gives the new one as long as that was",
    () =>
      Effect.gen(function* () {
        const { apiKeys } = yield* Repo
        const old = yield* create({ expiresIn: Duration.hours(10) })
        yield* TestClock.adjust("9 hours")
        const now = yield* DateTime.now
        const { stored } = yield* apiKeys.rotate(old.stored.id, Duration.hours(24))
        assert.deepStrictEqual(stored.expiresAt, DateTime.addDuration(now, "10 hours"))
        yield* TestClock.adjust("1 hour")
        assert.isFalse(yield* opens(old.key))
      })
  )

  it.effect("is refused for a key that was rotated before, by two at once as well", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const { stored } = yield* create()
      const attempts = yield* Effect.forEach(
        [1, 2, 3],
        () => Effect.result(apiKeys.rotate(stored.id, Duration.hours(24))),
        { concurrency: "unbounded" }
      )
      const refused = attempts.filter(Result.isFailure)
      assert.deepStrictEqual(
        refused.map(({ failure }) => failure.message),
        Array.from(refused, () => `The key ${stored.id} was rotated before; rotate the one that replaced it`)
      )
      assert.lengthOf(refused, 2)
    })
  )

  it.effect("is refused for a key that has ended or that there is not", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const revoked = yield* create()
      yield* apiKeys.revoke(revoked.stored.id)
      const expired = yield* create({ expiresIn: Duration.seconds(1) })
      yield* TestClock.adjust("1 second")
      const count = (yield* apiKeys.list(null)).length
      const ids = [revoked.stored.id, expired.stored.id, ApiKeyId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba44")]
      const errors = yield* Effect.forEach(ids, (id) => Effect.flip(apiKeys.rotate(id, Duration.hours(1))))
      assert.deepStrictEqual(
        errors.map((error) => error._tag),
        ["InvalidState", "InvalidState", "NotFound"]
      )
      assert.lengthOf(yield* apiKeys.list(null), count)
    })
  )
})

layer(repoLayer)("looking an API key up", (it) => {
  it.effect("remembers what was found for some seconds, and asks again after five", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const { stored, key } = yield* create()
      const requiresApproval = Effect.map(apiKeys.find(key), (holder) => Option.getOrThrow(holder).requiresApproval)
      assert.isFalse(yield* requiresApproval)
      yield* sql`UPDATE api_keys SET requires_approval = true WHERE id = ${stored.id}::uuid`
      yield* TestClock.adjust("3 seconds")
      assert.isFalse(yield* requiresApproval)
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(yield* requiresApproval)
    })
  )

  it.effect("remembers for a moment that a key is unknown", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { stored } = yield* create()
      const unknown = Redacted.make(formatApiKey("Z".repeat(32)))
      assert.isFalse(yield* opens(unknown))
      const hash = createHash("sha256").update(Redacted.value(unknown)).digest()
      yield* sql`UPDATE api_keys SET hash = ${hash} WHERE id = ${stored.id}::uuid`
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* opens(unknown))
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* opens(unknown))
    })
  )

  it.effect("does not ask the database for what is no key, nor for one whose checksum is wrong", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE api_keys RENAME TO away`
      for (const key of ["", "nonsense", `sps_${"Z".repeat(32)}_000000`, formatApiKey("Z".repeat(32)).slice(0, -1)]) {
        assert.isFalse(yield* opens(Redacted.make(key)), key)
      }
      const asked = yield* Effect.exit(opens(Redacted.make(formatApiKey("Y".repeat(32)))))
      assert.isTrue(Exit.isFailure(asked), "the database would have been missed")
      yield* sql`ALTER TABLE away RENAME TO api_keys`
      assert.isFalse(yield* opens(Redacted.make(formatApiKey("Y".repeat(32)))), "a failure is not remembered")
    })
  )

  it.effect("notes when a key was used last, once a minute and not for each request", () =>
    Effect.gen(function* () {
      const { stored, key } = yield* create()
      yield* TestClock.adjust("10 seconds")
      for (let request = 0; request < 5; request++) yield* opens(key)
      assert.isNull(yield* lastUse(stored.id))
      const used = yield* DateTime.now
      yield* TestClock.adjust("1 minute")
      // The write has begun by now, and ends when it ends.
      const noted = yield* lastUse(stored.id).pipe(Effect.repeat({ until: (at) => at !== null }))
      assert.deepStrictEqual(noted, used)
    })
  )
})
