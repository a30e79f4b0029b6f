import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { WorkspaceId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { newKey, oldKey, withKeys } from "../../support/database/otherKeys.ts"
import { lease, makeWebhook, recordEvents, someSlots } from "../../support/database/webhookFixtures.ts"

layer(repoLayer)("integrations.reencrypt", (it) => {
  it.effect("Re-encryption leaves no credentials that need the old key", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace(["twitter", "bluesky"])
      const { integrations } = yield* withKeys(newKey, oldKey)
      const accounts = yield* integrations.list(workspace)
      assert.strictEqual(yield* integrations.reencrypt, 2)
      assert.strictEqual(yield* integrations.reencrypt, 0)
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
      const sql = yield* SqlClient.SqlClient
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
      const reencryption = yield* Effect.forkChild(integrations.reencrypt)
      yield* Effect.repeat(
        sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        { until: (waiting) => waiting.length > 0 }
      )
      yield* Deferred.succeed(response, Redacted.make("renewed"))
      yield* Fiber.join(renewal)
      assert.strictEqual(yield* Fiber.join(reencryption), 1)
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "renewed")
    })
  )

  it.effect("Re-encryption changes nothing if an old key is missing", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace(["twitter"])
      const error = yield* Effect.flip((yield* withKeys(newKey)).integrations.reencrypt)
      assert.include(error.message, "ENCRYPTION_KEY")
      const { integrations } = yield* Repo
      for (const { id } of yield* integrations.list(workspace)) {
        assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "credentials of twitter")
      }
    })
  )

  it.effect("Credentials that no key decrypts keep no other workspace's from being encrypted anew", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const poisoned = yield* makeWorkspace(["twitter"])
      yield* sql`UPDATE integrations SET credentials = 'x' WHERE workspace_id = ${poisoned}::uuid`
      const neighbor = yield* makeWorkspace(["twitter"])
      const error = yield* Effect.flip((yield* withKeys(newKey, oldKey)).integrations.reencrypt)
      assert.include(error.message, "ENCRYPTION_KEY")
      const { integrations } = yield* withKeys(newKey)
      for (const { id } of yield* integrations.list(neighbor)) {
        assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "credentials of twitter")
      }
      yield* sql`DELETE FROM integrations WHERE workspace_id = ${poisoned}::uuid`
    })
  )
})

layer(repoLayer)("webhooks.reencrypt", (it) => {
  /** A claimed delivery, with the sealed secrets that sign it. */
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
        assert.strictEqual(yield* webhooks.reencrypt, 1)
        assert.strictEqual(yield* webhooks.reencrypt, 0)
        const claim = yield* claimedBy(workspace)
        const opened = yield* (yield* withKeys(newKey)).webhooks.open(claim)
        assert.strictEqual(Redacted.value(opened.url), "https://hooks.example/a")
        assert.deepStrictEqual(opened.secrets.map(Redacted.value), [rotated.secret, secret].map(Redacted.value))
        assert.include((yield* Effect.flip(old.webhooks.open(claim))).message, "ENCRYPTION_KEY")
      })
  )

  it.effect("A secret that no key decrypts keeps no other workspace's from being encrypted anew", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const poisoned = yield* makeWorkspace([])
      yield* makeWebhook(poisoned)
      yield* sql`UPDATE webhooks SET secret = 'x' WHERE workspace_id = ${poisoned}::uuid`
      const neighbor = yield* makeWorkspace([])
      yield* makeWebhook(neighbor)
      const error = yield* Effect.flip((yield* withKeys(newKey, oldKey)).webhooks.reencrypt)
      assert.include(error.message, "ENCRYPTION_KEY")
      const claim = yield* claimedBy(neighbor)
      yield* (yield* withKeys(newKey)).webhooks.open(claim)
    })
  )
})
