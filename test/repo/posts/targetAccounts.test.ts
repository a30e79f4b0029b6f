import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { waitingOrEnded } from "../../support/database/interleave.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const soon = DateTime.makeUnsafe("2030-01-01T00:00:00Z")

layer(repoLayer)("the account of a target", (it) => {
  it.effect.each([
    ["scheduled post", soon],
    ["draft", null]
  ] as const)("Each target of a %s stores and shows the account that is connected when it is created", ([, time]) =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace()
      const { id } = yield* posts.create(workspace, plan(time, ["bluesky", "twitter"]))
      const accounts = ["account-bluesky", "account-twitter"]
      assert.deepStrictEqual(
        (yield* posts.get(workspace, id)).post_targets.map((target) => target.account_id),
        accounts
      )
      const stored = yield* sql`SELECT account_id FROM post_targets WHERE post_id = ${id}::uuid ORDER BY position`
      assert.deepStrictEqual(
        stored.map((row) => row["account_id"]),
        accounts
      )
    })
  )

  it.effect(
    "A post that is created while its account is replaced is created for the account that is connected then",
    () =>
      Effect.gen(function* () {
        const { integrations, posts } = yield* Repo
        const sql = yield* SqlClient.SqlClient
        const workspace = yield* makeWorkspace(["twitter"])
        const replaced = yield* Deferred.make<void>()
        const createWaits = yield* Deferred.make<void>()
        const another = {
          platform: "twitter",
          accountId: "another",
          username: "another",
          displayName: null,
          avatarUrl: null,
          serviceUrl: null,
          credentials: Redacted.make("credentials of another")
        } as const
        const replacing = yield* integrations
          .replaceAccount(workspace, another, { posts: "replace" })
          .pipe(
            Effect.andThen(Deferred.succeed(replaced, undefined)),
            Effect.andThen(Deferred.await(createWaits)),
            sql.withTransaction,
            Effect.forkChild
          )
        yield* Deferred.await(replaced)
        const creating = yield* Effect.forkChild(posts.create(workspace, plan(soon, ["twitter"])))
        yield* waitingOrEnded(creating, 1)
        yield* Deferred.succeed(createWaits, undefined)
        yield* Fiber.join(replacing)
        const { id } = yield* Fiber.join(creating)
        const { post_targets } = yield* posts.get(workspace, id)
        assert.deepStrictEqual(
          post_targets.map((target) => target.account_id),
          ["another"]
        )
      })
  )

  it.effect("A target without a stored account shows the connected one until it has ended", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace()
      const { id } = yield* posts.create(workspace, plan(null))
      yield* sql`UPDATE post_targets SET account_id = NULL WHERE post_id = ${id}::uuid`
      const account = Effect.map(posts.get(workspace, id), ({ post_targets: [target] }) => target?.account_id)
      assert.strictEqual(yield* account, "account-twitter")
      yield* sql`UPDATE post_targets SET status = 'published', published_at = now() WHERE post_id = ${id}::uuid`
      assert.isNull(yield* account)
    })
  )
})
