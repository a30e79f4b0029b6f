import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { WorkspaceId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeChannel, secretUrls } from "../../chat/world.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { newKey, oldKey, withKeys } from "../../support/database/otherKeys.ts"
import { lease, makeWebhook, recordEvents, someSlots } from "../../support/database/webhookFixtures.ts"

layer(repoLayer)("integrations.reencrypt", (it) => {
  it.effect("Re-encryption leaves no credentials that need the old key", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace(["twitter", "bluesky"])
      const { integrations } = yield* withKeys(newKey, oldKey)
      const accounts = yield* integrations.list(workspace)
      assert.deepStrictEqual(yield* integrations.reencrypt, { reencrypted: 2, unreadable: [] })
      assert.deepStrictEqual(yield* integrations.reencrypt, { reencrypted: 0, unreadable: [] })
      const after = yield* withKeys(newKey)
      for (const { id, platform } of accounts) {
        assert.strictEqual(Redacted.value(yield* after.integrations.credentials(id)), `credentials of ${platform}`)
        const error = yield* Effect.flip((yield* Repo).integrations.credentials(id))
        assert.include(error.message, "ENCRYPTION_KEY")
      }
    })
  )

  it.effect("Credentials that are renewed during a re-encryption are kept", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace(["twitter"])
      const { integrations } = yield* withKeys(newKey, oldKey)
      const [account] = yield* integrations.list(workspace)
      const { id } = account ?? (yield* Effect.die("There is no account"))
      const begun = yield* Deferred.make<void>()
      const response = yield* Deferred.make<Redacted.Redacted>()
      const expired = yield* integrations.credentials(id)
      const renewal = yield* Effect.forkChild(
        integrations.refreshCredentials(
          id,
          expired,
          Effect.andThen(
            Deferred.succeed(begun, undefined),
            Effect.map(Deferred.await(response), (credentials) => ({ credentials }))
          )
        )
      )
      yield* Deferred.await(begun)
      assert.deepStrictEqual(yield* integrations.reencrypt, { reencrypted: 1, unreadable: [] })
      yield* Deferred.succeed(response, Redacted.make("renewed"))
      yield* Fiber.join(renewal)
      assert.strictEqual(Redacted.value(yield* (yield* withKeys(newKey)).integrations.credentials(id)), "renewed")
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "renewed")
    })
  )

  it.effect("Re-encryption changes nothing if an old key is missing", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace(["twitter"])
      const { integrations } = yield* Repo
      const ids = (yield* integrations.list(workspace)).map(({ id }) => id)
      const { reencrypted, unreadable } = yield* (yield* withKeys(newKey)).integrations.reencrypt
      assert.strictEqual(reencrypted, 0)
      assert.includeMembers([...unreadable], ids)
      for (const { id } of yield* integrations.list(workspace)) {
        assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "credentials of twitter")
      }
    })
  )
})

layer(repoLayer)("integrations.reencrypt of credentials that no key decrypts", (it) => {
  it.effect("Re-encryption goes on after them, leaves them as they are, and names them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { integrations } = yield* withKeys(newKey, oldKey)
      const accounts = [
        yield* makeWorkspace(["twitter"]),
        yield* makeWorkspace(["bluesky"]),
        yield* makeWorkspace(["twitter"])
      ]
      const [first, second, third] = (yield* Effect.forEach(accounts, (workspace) =>
        integrations.list(workspace)
      )).flat()
      if (first === undefined || second === undefined || third === undefined) return assert.fail("accounts are missing")
      const lost = sql<{
        readonly credentials: Uint8Array
      }>`SELECT credentials FROM integrations WHERE id = ${second.id}::uuid`
      // Corrupts the credentials, as if their key were lost.
      yield* sql`UPDATE integrations SET credentials = set_byte(credentials, 1, 255 - get_byte(credentials, 1))
        WHERE id = ${second.id}::uuid`
      const before = yield* lost
      assert.deepStrictEqual(yield* integrations.reencrypt, { reencrypted: 2, unreadable: [second.id] })
      assert.deepStrictEqual(yield* lost, before)
      const after = yield* withKeys(newKey)
      for (const { id, platform } of [first, third]) {
        assert.strictEqual(Redacted.value(yield* after.integrations.credentials(id)), `credentials of ${platform}`)
      }
    })
  )
})

layer(repoLayer)("channels.reencrypt", (it) => {
  it.effect("Re-encryption leaves no channel's URL that needs the old key, and keeps those that no key decrypts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace([])
      const [channel, broken] = [yield* makeChannel(workspace), yield* makeChannel(workspace)]
      yield* sql`UPDATE channels SET sealed_url = set_byte(sealed_url, 1, 255 - get_byte(sealed_url, 1))
        WHERE id = ${broken.id}::uuid`
      const { channels } = yield* withKeys(newKey, oldKey)
      assert.deepStrictEqual(yield* channels.reencrypt, { reencrypted: 1, unreadable: [broken.id] })
      assert.deepStrictEqual(yield* channels.reencrypt, { reencrypted: 0, unreadable: [broken.id] })
      const opened = yield* (yield* withKeys(newKey)).channels.open(workspace, channel.id)
      assert.strictEqual(Redacted.value(opened.url), secretUrls.slack)
      const old = yield* Repo
      assert.include((yield* Effect.flip(old.channels.open(workspace, channel.id))).message, "ENCRYPTION_KEY")
    })
  )
})

layer(repoLayer)("webhooks.reencrypt", (it) => {
  /** A claimed delivery, with the encrypted secrets that sign it. */
  const claimedBy = Effect.fn("claimedBy")(function* (workspaceId: WorkspaceId) {
    yield* recordEvents(workspaceId, 1)
    const { events, webhooks } = yield* Repo
    yield* events.dispatch(10)
    const [claim] = yield* webhooks.claim(someSlots, lease)
    return claim ?? (yield* Effect.die("Nothing was claimed"))
  })

  it.effect(
    "Re-encryption leaves no webhook's URL or secret that needs the old key, neither the current nor the former one",
    () =>
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace([])
        const { id, secret } = yield* makeWebhook(workspace)
        const old = yield* Repo
        const rotated = yield* old.webhooks.rotateSecret(workspace, id, Duration.days(1))
        const { webhooks } = yield* withKeys(newKey, oldKey)
        assert.deepStrictEqual(yield* webhooks.reencrypt, { reencrypted: 1, unreadable: [] })
        assert.deepStrictEqual(yield* webhooks.reencrypt, { reencrypted: 0, unreadable: [] })
        const claim = yield* claimedBy(workspace)
        const opened = yield* (yield* withKeys(newKey)).webhooks.open(claim)
        assert.strictEqual(Redacted.value(opened.url), "https://hooks.example/a")
        assert.deepStrictEqual(opened.secrets.map(Redacted.value), [rotated.secret, secret].map(Redacted.value))
        assert.include((yield* Effect.flip(old.webhooks.open(claim))).message, "ENCRYPTION_KEY")
      })
  )

  it.effect("What can't be decrypted of a webhook stays, and the rest of it and the others are encrypted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace([])
      const broken = yield* makeWebhook(workspace)
      const other = yield* makeWebhook(workspace)
      yield* sql`UPDATE webhooks SET sealed_url = set_byte(sealed_url, 1, 255 - get_byte(sealed_url, 1))
        WHERE id = ${broken.id}::uuid`
      const stored = sql<{
        readonly url: Uint8Array
      }>`SELECT sealed_url AS url FROM webhooks WHERE id = ${broken.id}::uuid`
      const before = yield* stored
      const { webhooks } = yield* withKeys(newKey, oldKey)
      const first = yield* webhooks.reencrypt
      assert.deepStrictEqual(first, { reencrypted: 1, unreadable: [broken.id] })
      assert.deepStrictEqual(yield* stored, before)
      yield* sql`UPDATE webhooks SET sealed_url = set_byte(sealed_url, 1, 255 - get_byte(sealed_url, 1))
        WHERE id = ${broken.id}::uuid`
      assert.deepStrictEqual(yield* webhooks.reencrypt, { reencrypted: 1, unreadable: [] })
      const after = yield* withKeys(newKey)
      for (const { id, secret } of [broken, other]) {
        yield* sql`UPDATE webhooks SET due_at = NULL WHERE id <> ${id}::uuid`
        const opened = yield* after.webhooks.open(yield* claimedBy(workspace))
        assert.deepStrictEqual(opened.secrets.map(Redacted.value), [Redacted.value(secret)])
      }
    })
  )
})
