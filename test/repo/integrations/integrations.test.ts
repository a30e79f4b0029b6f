import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { IntegrationId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { repeatConcurrently, lease } from "../../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { published } from "../targets/settlements.ts"
import { makeConnectedAccount } from "./connectedAccount.ts"

layer(repoLayer, { excludeTestServices: true })("integrations", (it) => {
  it.effect("Credentials are encrypted at rest, and are decrypted only for their own account", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const accounts = yield* integrations.list(yield* makeWorkspace())
      assert.sameMembers(
        accounts.map(({ platform }) => platform),
        ["twitter", "bluesky"]
      )
      const sql = yield* SqlClient.SqlClient
      for (const { id, platform } of accounts) {
        const [row] = yield* sql<{
          text: string
        }>`SELECT encode(credentials, 'escape') AS text FROM integrations WHERE id = ${id}::uuid`
        assert.notInclude(row?.text ?? "credentials of", "credentials of")
        assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), `credentials of ${platform}`)
      }
      const [first, second] = accounts
      assert.isDefined(first)
      assert.isDefined(second)
      if (first === undefined || second === undefined) return
      yield* sql`UPDATE integrations SET credentials = (SELECT credentials FROM integrations WHERE id = ${second.id}::uuid)
        WHERE id = ${first.id}::uuid`
      assert.strictEqual((yield* Effect.flip(integrations.credentials(first.id)))._tag, "CredentialsUnreadable")
    })
  )

  it.effect("Disconnecting an account deletes its credentials, and connecting it again keeps its id", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const { id, workspace } = yield* makeConnectedAccount
      yield* integrations.disconnect(id)
      assert.deepStrictEqual(yield* integrations.list(workspace), [])
      assert.strictEqual((yield* Effect.flip(integrations.credentials(id)))._tag, "Unavailable")
      assert.strictEqual((yield* Effect.flip(integrations.disconnect(id)))._tag, "NotFound")
      const again = yield* integrations.connect(workspace, {
        platform: "twitter",
        accountId: "account-twitter",
        username: "team",
        displayName: null,
        avatarUrl: null,
        serviceUrl: null,
        credentials: Redacted.make("again")
      })
      assert.strictEqual(again.id, id)
      assert.strictEqual(again.account_id, "account-twitter")
      assert.strictEqual(again.status, "connected")
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "again")
    })
  )

  it.effect("An account on a platform that this version does not have hides no other one", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace()
      const [first] = yield* sql<{ id: IntegrationId }>`
        UPDATE integrations SET platform = 'pond' WHERE workspace_id = ${workspace}::uuid AND platform = 'twitter' RETURNING id`
      const id = first?.id ?? (yield* Effect.die("There is no account"))
      assert.deepStrictEqual(
        (yield* integrations.list(workspace)).map(({ platform }) => platform),
        ["bluesky"]
      )
      assert.strictEqual((yield* Effect.flip(integrations.get(workspace, id)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(integrations.disconnect(id, workspace)))._tag, "NotFound")
    })
  )

  it.effect("Concurrent first connections of a platform create one account", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const account = {
        platform: "twitter" as const,
        accountId: "1",
        username: "team",
        displayName: null,
        avatarUrl: null,
        serviceUrl: null,
        credentials: Redacted.make("fresh")
      }
      for (let round = 0; round < 20; round++) {
        const workspace = yield* makeWorkspace([])
        const ids = yield* repeatConcurrently(
          3,
          Effect.map(integrations.connect(workspace, account), ({ id }) => id)
        )
        assert.strictEqual(new Set(ids).size, 1)
      }
    })
  )

  it.effect(
    "An account that was connected again is not marked as needing reconnection for its earlier credentials",
    () =>
      Effect.gen(function* () {
        const { integrations, posts, targets } = yield* Repo
        const workspace = yield* makeWorkspace(["twitter"])
        const claimNew = Effect.gen(function* () {
          yield* posts.create(workspace, plan(yield* DateTime.now))
          const [claim] = yield* targets.claim(1, lease)
          return claim ?? assert.fail("Nothing was due")
        })
        const before = yield* claimNew
        yield* targets.settle(before, published)
        const { id, version } = before.integration
        const { accountId, serviceUrl, username } = before.integration
        const credentials = Redacted.make("fresh")
        const account = { accountId, serviceUrl, username, displayName: null, avatarUrl: null, credentials }
        yield* integrations.connect(workspace, { platform: "twitter", ...account })
        assert.isFalse(yield* integrations.markNeedsReconnect(id, version))
        const after = yield* claimNew
        assert.isTrue(after.integration.connected)
        assert.isTrue(yield* integrations.markNeedsReconnect(id, after.integration.version))
        assert.isFalse(yield* integrations.markNeedsReconnect(id, after.integration.version))
      })
  )
})
