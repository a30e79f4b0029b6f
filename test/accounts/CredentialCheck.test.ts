import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { CredentialCheck } from "../../src/accounts/CredentialCheck.ts"
import { forgetCredentials } from "../../src/accounts/forgetCredentials.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { newKey, oldKey, withKeys } from "../support/database/otherKeys.ts"
import { repoLayer } from "../support/database/testDatabase.ts"

/** The check of a process with these keys, and its command. */
const processWith = Effect.fn(function* (first: number, ...others: ReadonlyArray<number>) {
  const repo = Layer.succeed(Repo, yield* withKeys(first, ...others))
  const context = yield* Layer.build(Layer.merge(CredentialCheck.layer, Notifier.layer).pipe(Layer.provideMerge(repo)))
  return {
    repo: Context.get(context, Repo),
    check: Context.get(context, CredentialCheck),
    forget: Effect.provideContext(forgetCredentials, context)
  }
})

layer(repoLayer)("CredentialCheck", (it) => {
  it.effect("A process may publish while nothing is connected, and with the key of the accounts", () =>
    Effect.gen(function* () {
      const empty = yield* processWith(newKey)
      assert.isTrue(yield* empty.check.mayPublish)
      yield* makeWorkspace(["twitter", "bluesky"])
      const { check } = yield* processWith(newKey, oldKey)
      assert.isTrue(yield* check.mayPublish)
      assert.deepStrictEqual(yield* check.lastCount, { connected: 2, unreadable: 0 })
    })
  )

  it.effect("A process whose key decrypts no account's credentials may not publish, until they are forgotten", () =>
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace(["twitter", "bluesky"])
      const { check, forget, repo } = yield* processWith(newKey)
      assert.isFalse(yield* check.mayPublish)
      const { connected, unreadable } = yield* check.lastCount
      assert.strictEqual(unreadable, connected)
      const accounts = yield* repo.integrations.list(workspaceId)
      assert.deepStrictEqual(
        yield* repo.integrations.findUnreadable(workspaceId),
        new Set(accounts.map(({ id }) => id))
      )

      assert.strictEqual(yield* forget, connected)
      assert.strictEqual(yield* forget, 0)
      const after = yield* repo.integrations.list(workspaceId)
      assert.deepStrictEqual(
        after.map(({ status }) => status),
        ["needs_reconnect", "needs_reconnect"]
      )
      const { data } = yield* repo.notifications.page(workspaceId, 0, 10)
      assert.deepStrictEqual(
        data.map(({ type }) => type),
        ["integration.disconnected", "integration.disconnected"]
      )
      yield* TestClock.adjust("10 seconds")
      yield* Effect.repeat(check.mayPublish, { until: (mayPublish) => mayPublish })
    })
  )

  it.effect(
    "A process whose key decrypts the credentials of some accounts publishes, and forgets those of the others",
    () =>
      Effect.gen(function* () {
        const readable = yield* makeWorkspace(["twitter"])
        const unreadable = yield* Effect.provideService(makeWorkspace(["bluesky"]), Repo, yield* withKeys(newKey))
        const { check, forget, repo } = yield* processWith(oldKey)
        assert.isTrue(yield* check.mayPublish)
        assert.strictEqual((yield* check.lastCount).unreadable, 1)
        assert.strictEqual(yield* forget, 1)
        const statuses = yield* Effect.forEach([readable, unreadable], repo.integrations.list)
        assert.deepStrictEqual(
          statuses.flat().map(({ status }) => status),
          ["connected", "needs_reconnect"]
        )
      })
  )
})
