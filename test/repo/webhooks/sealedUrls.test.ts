import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import type { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { CredentialCipher } from "../../../src/repo/integrations/CredentialCipher.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { DeliveryClaim } from "../../../src/repo/webhooks/Webhooks.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import {
  aResult,
  deleteWebhooks,
  lease,
  makeWebhook,
  recordEvents,
  settleAs,
  someSlots
} from "../../support/database/webhookFixtures.ts"

const former = "https://hooks.example/the-former-and-secret-path"
const later = "https://hooks.example/another-and-secret-path2"

/** The Repo of a process that has another encryption key. */
const withOtherKey = Effect.gen(function* () {
  const connections = Layer.succeedContext(yield* Effect.context<SqlClient.SqlClient | PgClient.PgClient>())
  const cipher = CredentialCipher.layer([Redacted.make(new Uint8Array(32).fill(11))])
  const repo = Layer.fresh(Repo.layer).pipe(Layer.provide(cipher), Layer.provide([NodeCrypto.layer, connections]))
  return Context.get(yield* Layer.build(repo), Repo)
})

/** A webhook at `former`, with its stored and claimed URL. */
const start = Effect.gen(function* () {
  yield* deleteWebhooks
  const sql = yield* SqlClient.SqlClient
  const repo = yield* Repo
  const workspaceId = yield* makeWorkspace([])
  const { id } = yield* makeWebhook(workspaceId, former)
  const claim = Effect.gen(function* () {
    yield* recordEvents(workspaceId, 1)
    yield* repo.events.dispatch(10)
    const [claimed] = yield* repo.webhooks.claim(someSlots, lease)
    return claimed ?? (yield* Effect.die("Nothing was claimed"))
  })
  const urlOf = (claimed: DeliveryClaim) => Effect.map(repo.webhooks.open(claimed), ({ url }) => Redacted.value(url))
  const shown = Effect.map(repo.webhooks.get(workspaceId, id), ({ url }) => url)
  /** As a backup of a version that did not encrypt URLs has it. */
  const writePlain = (url: string) =>
    sql`UPDATE webhooks SET url = ${url}, sealed_url = NULL, masked_url = NULL WHERE id = ${id}::uuid`
  const stored = Effect.map(
    sql<{ readonly url: string; readonly sealed: boolean }>`
      SELECT url, sealed_url IS NOT NULL AS sealed FROM webhooks WHERE id = ${id}::uuid`,
    ([row]) => row
  )
  return { sql, repo, workspaceId, id, claim, urlOf, shown, writePlain, stored }
})

layer(repoLayer)("webhooks.sealedUrls", (it) => {
  it.effect("A URL is stored encrypted alone, also where the version before writes it beside that", () =>
    Effect.gen(function* () {
      const { claim, id, repo, shown, sql, stored, urlOf, workspaceId } = yield* start
      assert.deepStrictEqual(yield* stored, { url: "", sealed: true })
      yield* sql`UPDATE webhooks SET url = ${former} WHERE id = ${id}::uuid`
      assert.deepStrictEqual(yield* stored, { url: "", sealed: true })
      yield* sql`INSERT INTO webhooks (id, workspace_id, url, sealed_url, masked_url, secret, created_at)
        SELECT gen_random_uuid(), workspace_id, ${former}, sealed_url, masked_url, secret, created_at FROM webhooks WHERE id = ${id}::uuid`
      assert.deepStrictEqual(yield* sql`SELECT DISTINCT url FROM webhooks WHERE workspace_id = ${workspaceId}::uuid`, [
        { url: "" }
      ])
      assert.strictEqual(yield* urlOf(yield* claim), former)
      const kept = yield* repo.webhooks.update(workspaceId, id, { url: "https://hooks.example/…path" })
      assert.strictEqual(kept.url, yield* shown)
      yield* repo.webhooks.update(workspaceId, id, { url: later })
      assert.deepStrictEqual(yield* stored, { url: "", sealed: true })
      assert.strictEqual(yield* shown, "https://hooks.example/…ath2")
    })
  )

  it.effect("A plain URL of a restored backup is read, and encrypted alone when it is re-encrypted", () =>
    Effect.gen(function* () {
      const { claim, repo, shown, stored, urlOf, workspaceId, id, writePlain } = yield* start
      yield* writePlain(later)
      assert.deepStrictEqual(yield* stored, { url: later, sealed: false })
      assert.strictEqual(yield* shown, "https://hooks.example/…ath2")
      assert.strictEqual(yield* urlOf(yield* claim), later)
      const kept = yield* repo.webhooks.update(workspaceId, id, { url: "https://hooks.example/…ath2" })
      assert.strictEqual(kept.url, "https://hooks.example/…ath2")
      assert.deepStrictEqual(yield* repo.webhooks.reencrypt, { reencrypted: 1, unreadable: [] })
      assert.deepStrictEqual(yield* repo.webhooks.reencrypt, { reencrypted: 0, unreadable: [] })
      assert.deepStrictEqual(yield* stored, { url: "", sealed: true })
      assert.strictEqual(yield* shown, "https://hooks.example/…ath2")
    })
  )

  it.effect.each([
    { by: "a restored backup", status: 410 },
    { by: "a restored backup", status: 204 },
    { by: "this version", status: 410 },
    { by: "this version", status: 204 }
  ])("A response of $status from a URL that $by has changed meanwhile says nothing of the webhook", ({ by, status }) =>
    Effect.gen(function* () {
      const { claim, id, repo, sql, workspaceId, writePlain } = yield* start
      const claimed = yield* claim
      if (by === "this version") yield* repo.webhooks.update(workspaceId, id, { url: later })
      else yield* writePlain(later)
      yield* sql`UPDATE webhooks SET failures = 5, failing_since = now() WHERE id = ${id}::uuid`
      assert.deepStrictEqual(yield* settleAs([claimed], aResult(status)), { disabled: [], opened: [], closed: [] })
      const [row] = yield* sql`SELECT failures, disabled_reason FROM webhooks WHERE id = ${id}::uuid`
      assert.deepStrictEqual(row, { failures: 5, disabled_reason: null })
    })
  )

  it.effect("The encrypted URL of one webhook does not open in the row of another", () =>
    Effect.gen(function* () {
      const { claim, id, repo, sql, workspaceId } = yield* start
      const other = yield* makeWebhook(workspaceId, later)
      yield* sql`UPDATE webhooks w SET sealed_url = o.sealed_url, masked_url = o.masked_url, due_at = NULL
        FROM webhooks o WHERE w.id = ${id}::uuid AND o.id = ${other.id}::uuid`
      yield* repo.webhooks.remove(workspaceId, other.id)
      assert.include((yield* Effect.flip(repo.webhooks.open(yield* claim))).message, "ENCRYPTION_KEY")
    })
  )

  it.effect("Without its key a webhook is listed and told, and another URL replaces the one that can't be read", () =>
    Effect.gen(function* () {
      const { claim, id, stored, workspaceId } = yield* start
      const { webhooks } = yield* withOtherKey
      assert.deepStrictEqual(
        (yield* webhooks.list(workspaceId)).map(({ url }) => url),
        ["https://hooks.example/…path"]
      )
      assert.include((yield* Effect.flip(webhooks.open(yield* claim))).message, "ENCRYPTION_KEY")
      yield* webhooks.update(workspaceId, id, { url: "https://hooks.example/…path", description: "Kept" })
      assert.deepStrictEqual(yield* stored, { url: "", sealed: true })
      const moved = yield* webhooks.update(workspaceId, id, { url: later })
      assert.strictEqual(moved.url, "https://hooks.example/…ath2")
    })
  )
})
