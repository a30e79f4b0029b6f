import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Exit, Fiber, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { defaultScopes, powerfulScopes } from "../../../src/domain/plain/access.ts"
import { formatApiKey, Scope } from "../../../src/domain/people/apiKey.ts"
import { ApiKeyId } from "../../../src/domain/ids.ts"
import type { NewApiKey } from "../../../src/repo/apiKeys/apiKeys.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { anotherRepo, repoLayer } from "../../support/database/testDatabase.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { interleave } from "../../support/database/interleave.ts"
import { locksAreAwaited, someLockIsAwaited } from "../../support/database/programs.ts"

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

layer(repoLayer)("apiKeys.find", (it) => {
  it.effect("A key authenticates for its workspace until it is revoked, and only its hash is stored", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const workspace = yield* makeWorkspace([])
      const { key, stored } = yield* create({ workspaceId: workspace })
      const holder = Option.getOrThrow(yield* apiKeys.find(key))
      assert.deepStrictEqual(holder, {
        keyId: stored.id,
        workspaceId: workspace,
        scopes: [...Scope.literals],
        requiresApproval: false,
        predecessors: []
      })
      const sql = yield* SqlClient.SqlClient
      const kept = JSON.stringify(yield* sql`SELECT * FROM api_keys`)
      assert.notInclude(kept, Redacted.value(key))
      assert.isNotNull((yield* apiKeys.revoke(stored.id)).revokedAt)
      assert.isTrue(Option.isNone(yield* apiKeys.find(key)))
    })
  )

  it.effect("A scope that a later version stored is ignored, and the key works with its others", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const { key, stored } = yield* create({ scopes: ["posts:read", "media:write"] })
      yield* sql`UPDATE api_keys SET scopes = scopes || '{boards:read}', more_scopes = more_scopes || '{boards:write}'
        WHERE id = ${stored.id}::uuid`
      const { scopes } = Option.getOrThrow(yield* apiKeys.find(key))
      assert.deepStrictEqual(scopes, ["posts:read", "media:write"])
      const listed = (yield* apiKeys.list(stored.workspaceId)).map((each) => each.scopes)
      assert.deepStrictEqual(listed, [["posts:read", "media:write"]])
    })
  )

  it.effect("The column that the version before reads has only scopes that it knows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { stored } = yield* create()
      const [row] = yield* sql<{ readonly scopes: ReadonlyArray<string> }>`
        SELECT scopes FROM api_keys WHERE id = ${stored.id}::uuid`
      assert.deepStrictEqual(row?.scopes, [
        "posts:read",
        "posts:write",
        "posts:publish",
        "integrations:read",
        "notifications:read"
      ])
    })
  )

  it.effect.each(powerfulScopes)("The database refuses a key that requires approval and has the scope %s", (scope) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(create({ scopes: ["posts:read", scope], requiresApproval: true }))
      assert.isTrue(Exit.isFailure(exit))
      assert.include(String(exit), "api_keys_powers_need_no_approval")
    })
  )

  it.effect("A key that has expired is refused", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const { key } = yield* create({ expiresIn: Duration.minutes(1) })
      assert.isTrue(Option.isSome(yield* apiKeys.find(key)))
      yield* TestClock.adjust("1 minute")
      assert.isTrue(Option.isNone(yield* apiKeys.find(key)))
    })
  )

  it.effect("A cached key is refused from the moment when it expires", () =>
    Effect.gen(function* () {
      const { key } = yield* create({ expiresIn: Duration.seconds(2) })
      yield* TestClock.adjust("1999 millis")
      assert.isTrue(yield* opens(key))
      yield* TestClock.adjust("1 milli")
      assert.isFalse(yield* opens(key))
    })
  )

  it.effect("A key is cached for some seconds, and read again after five", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const { stored, key } = yield* create({ scopes: defaultScopes })
      const requiresApproval = Effect.map(apiKeys.find(key), (holder) => Option.getOrThrow(holder).requiresApproval)
      assert.isFalse(yield* requiresApproval)
      yield* sql`UPDATE api_keys SET requires_approval = true WHERE id = ${stored.id}::uuid`
      yield* TestClock.adjust("3 seconds")
      assert.isFalse(yield* requiresApproval)
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(yield* requiresApproval)
    })
  )

  it.effect("An unknown key is cached as unknown for two seconds", () =>
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

  it.effect("A malformed key and one with a wrong checksum are not looked up in the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE api_keys RENAME TO renamed`
      for (const key of ["", "nonsense", `sps_${"Z".repeat(32)}_000000`, formatApiKey("Z".repeat(32)).slice(0, -1)]) {
        assert.isFalse(yield* opens(Redacted.make(key)), key)
      }
      const lookup = yield* Effect.exit(opens(Redacted.make(formatApiKey("Y".repeat(32)))))
      assert.isTrue(Exit.isFailure(lookup), "a lookup fails without the table")
      yield* sql`ALTER TABLE renamed RENAME TO api_keys`
      assert.isFalse(yield* opens(Redacted.make(formatApiKey("Y".repeat(32)))), "a failure is not cached")
    })
  )

  it.effect("The last use of a key is written once a minute and not for each request", () =>
    Effect.gen(function* () {
      const { stored, key } = yield* create()
      yield* TestClock.adjust("10 seconds")
      for (let request = 0; request < 5; request++) yield* opens(key)
      assert.isNull(yield* lastUse(stored.id))
      const used = yield* DateTime.now
      yield* TestClock.adjust("1 minute")
      // The write runs in the background, so poll for it.
      const written = yield* lastUse(stored.id).pipe(Effect.repeat({ until: (at) => at !== null }))
      assert.deepStrictEqual(written, used)
    })
  )
})

layer(repoLayer)("apiKeys.findKnown", (it) => {
  const known = (key: Redacted.Redacted) =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      return Option.map(yield* apiKeys.findKnown(Redacted.value(key)), ({ keyId }) => keyId)
    })

  it.effect("A key is known from its first lookup until it is revoked", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const { key, stored } = yield* create()
      assert.deepStrictEqual(yield* known(key), Option.none())
      assert.isTrue(yield* opens(key))
      assert.deepStrictEqual(yield* known(key), Option.some(stored.id))
      yield* apiKeys.revoke(stored.id)
      assert.deepStrictEqual(yield* known(key), Option.none())
    })
  )

  it.effect(
    "A known key is looked up again within five seconds, however often it is used, and until it has ended",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { key, stored } = yield* create()
        assert.isTrue(yield* opens(key))
        yield* TestClock.adjust("5 seconds")
        assert.isTrue(Option.isSome(yield* known(key)))
        // Like a revocation by another process whose notification is lost.
        yield* sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${stored.id}::uuid`
        for (let second = 0; second < 3; second++) {
          yield* TestClock.adjust("1 second")
          assert.isTrue(Option.isSome(yield* known(key)))
        }
        yield* TestClock.adjust("2 seconds")
        assert.isTrue(Option.isNone(yield* known(key)))
        yield* sql`UPDATE api_keys SET revoked_at = NULL WHERE id = ${stored.id}::uuid`
        yield* TestClock.adjust("5 seconds")
        assert.isTrue(Option.isNone(yield* known(key)))
      })
  )

  it.effect("A known key is refused from the moment when it expires", () =>
    Effect.gen(function* () {
      const { key } = yield* create({ expiresIn: Duration.seconds(2) })
      assert.isTrue(yield* opens(key))
      yield* TestClock.adjust("1999 millis")
      assert.isTrue(Option.isSome(yield* known(key)))
      yield* TestClock.adjust("1 milli")
      assert.isTrue(Option.isNone(yield* known(key)))
    })
  )

  it.effect("An unknown or malformed key is not known, also after its lookup", () =>
    Effect.gen(function* () {
      for (const text of [formatApiKey("U".repeat(32)), "sps_x", ""]) {
        const key = Redacted.make(text)
        assert.isFalse(yield* opens(key))
        assert.deepStrictEqual(yield* known(key), Option.none())
      }
    })
  )

  it.effect("Using a known key records its last use", () =>
    Effect.gen(function* () {
      const { key, stored } = yield* create()
      assert.isTrue(yield* opens(key))
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(Option.isSome(yield* known(key)))
      const used = yield* DateTime.now
      yield* TestClock.adjust("1 minute")
      // The write runs in the background, so poll for it.
      const written = yield* lastUse(stored.id).pipe(Effect.repeat({ until: (at) => at !== null }))
      assert.deepStrictEqual(written, used)
    })
  )
})

/** Begins to listen as another process, and waits until a change of a key has reached it. */
const listening = Effect.fn("listening")(function* (repo: Repo["Service"]) {
  const { apiKeys } = yield* Repo
  // A connection attempt that takes too long fails, and is repeated as in the service.
  yield* Effect.forkScoped(Effect.eventually(repo.apiKeys.listen))
  yield* Effect.repeat(
    Effect.gen(function* () {
      const { key, stored } = yield* create()
      yield* opens(key, repo)
      yield* apiKeys.revoke(stored.id)
      return yield* opens(key, repo)
    }),
    { while: (isOpen) => isOpen }
  )
})

layer(repoLayer)("A key that is looked up while it is revoked", (it) => {
  it.effect("The process that is told of the revocation meanwhile does not keep what it has looked up", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const other = yield* anotherRepo
      const late = yield* create()
      const later = yield* create()
      yield* listening(other)
      // The lookup of `late` waits for an advisory lock after it has read the key.
      yield* sql`ALTER TABLE api_keys RENAME TO stored_keys`
      yield* sql.unsafe(`CREATE FUNCTION wait_for(key uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
        BEGIN
          IF key = '${late.stored.id}' THEN PERFORM pg_advisory_xact_lock_shared(1); END IF;
          RETURN true;
        END $$`)
      yield* sql`CREATE VIEW api_keys AS SELECT * FROM stored_keys WHERE wait_for(id)`
      assert.isTrue(yield* opens(later.key, other))
      const revoke = (id: ApiKeyId) => sql`UPDATE stored_keys SET revoked_at = now() WHERE id = ${id}::uuid`
      const held = yield* Deferred.make<void>()
      const isTold = yield* Deferred.make<void>()
      const holder = yield* sql`SELECT pg_advisory_xact_lock(1)`.pipe(
        Effect.andThen(Deferred.succeed(held, undefined)),
        Effect.andThen(Deferred.await(isTold)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(held)
      const lookup = yield* Effect.forkChild(opens(late.key, other))
      yield* someLockIsAwaited
      yield* revoke(late.stored.id)
      yield* revoke(later.stored.id)
      // Notifications arrive in the order of their commits. `later` stays cached until its notification arrives; a
      // lookup after that would wait for the table's lock.
      const roundTrips = Effect.as(Effect.repeat(sql`SELECT 1`, { times: 50 }), false)
      yield* Effect.repeat(Effect.raceFirst(opens(later.key, other), roundTrips), { while: (isOpen) => isOpen })
      yield* Deferred.succeed(isTold, undefined)
      yield* Fiber.join(holder)
      assert.isTrue(yield* Fiber.join(lookup), "it was read before the revocation")
      assert.isFalse(yield* opens(late.key, other))
    })
  )
})

layer(repoLayer)("apiKeys.revoke", (it) => {
  it.effect("A revoked key is refused at once in the same process, and in other processes after five seconds", () =>
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

  it.effect("A revoked key is refused after five seconds in a process that keeps using it", () =>
    Effect.gen(function* () {
      const other = yield* anotherRepo
      const { key, stored } = yield* create()
      yield* opens(key, other)
      yield* TestClock.adjust("3 seconds")
      yield* opens(key, other)
      yield* (yield* Repo).apiKeys.revoke(stored.id)
      yield* TestClock.adjust("3 seconds")
      assert.isFalse(yield* opens(key, other), "using a cached key does not extend its lifetime in the cache")
    })
  )

  it.effect("A process that listens refuses a key once it is told that another one revoked or rotated it", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const other = yield* anotherRepo
      yield* listening(other)
      for (const end of [(id: ApiKeyId) => apiKeys.revoke(id), (id: ApiKeyId) => apiKeys.rotate(id, Duration.zero)]) {
        const { key, stored } = yield* create()
        assert.isTrue(yield* opens(key, other))
        yield* end(stored.id)
        yield* Effect.repeat(opens(key, other), { while: (isOpen) => isOpen })
      }
    })
  )

  it.effect("A process forgets the keys that it knows when it begins to listen", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const other = yield* anotherRepo
      assert.notStrictEqual(other, yield* Repo)
      const { key, stored } = yield* create()
      assert.isTrue(yield* opens(key, other))
      yield* sql`ALTER TABLE api_keys DISABLE TRIGGER api_keys_changed`
      yield* (yield* Repo).apiKeys.revoke(stored.id)
      yield* sql`ALTER TABLE api_keys ENABLE TRIGGER api_keys_changed`
      assert.isTrue(yield* opens(key, other))
      yield* listening(other)
      assert.isFalse(yield* opens(key, other))
    })
  )

  it.effect("Revoking an unknown key fails with NotFound", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const error = yield* Effect.flip(apiKeys.revoke(ApiKeyId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba44")))
      assert.strictEqual(error._tag, "NotFound")
    })
  )
})

layer(repoLayer)("apiKeys.rotate", (it) => {
  it.effect("Rotation creates a key with the same permissions, and the old key expires after the overlap", () =>
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
        requiresApproval: true,
        predecessors: [old.stored.id]
      })
      yield* TestClock.adjust(Duration.subtract(Duration.hours(24), Duration.millis(1)))
      assert.deepStrictEqual([yield* opens(old.key), yield* opens(key)], [true, true])
      yield* TestClock.adjust("1 milli")
      assert.deepStrictEqual([yield* opens(old.key), yield* opens(key)], [false, true])
    })
  )

  it.effect("Rotation does not extend the old key's lifetime, and gives the new key the same one", () =>
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

  it.effect("A key that is revoked at this moment is not rotated, and no other key takes its place", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const { stored } = yield* create()
      const [revoked, rotated] = yield* interleave(
        apiKeys.revoke(stored.id),
        Effect.flip(apiKeys.rotate(stored.id, Duration.hours(24)))
      )
      assert.isNotNull(revoked.revokedAt)
      assert.strictEqual((yield* rotated)._tag, "InvalidState")
      const keys = yield* apiKeys.list(stored.workspaceId)
      assert.deepStrictEqual(
        keys.map(({ id }) => id),
        [stored.id]
      )
    })
  )

  it.effect("Only one of several concurrent rotations of a key succeeds", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { apiKeys } = yield* Repo
      const { stored } = yield* create()
      const rotate = apiKeys.rotate(stored.id, Duration.hours(24))
      const rotated = yield* Deferred.make<void>()
      const othersWait = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.andThen(rotate, Effect.andThen(Deferred.succeed(rotated, undefined), Deferred.await(othersWait)))
        )
      )
      yield* Deferred.await(rotated)
      const others = yield* Effect.forkChild(
        Effect.forEach([2, 3], () => Effect.flip(rotate), { concurrency: "unbounded" })
      )
      yield* locksAreAwaited(2)
      yield* Deferred.succeed(othersWait, undefined)
      yield* Fiber.join(first)
      const message = `The key ${stored.id} was already rotated; rotate the key that replaced it`
      assert.deepStrictEqual(
        (yield* Fiber.join(others)).map((refused) => refused.message),
        [message, message]
      )
      assert.lengthOf(yield* apiKeys.list(stored.workspaceId), 2)
    })
  )

  it.effect("Rotation of a revoked, expired or unknown key is refused", () =>
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
