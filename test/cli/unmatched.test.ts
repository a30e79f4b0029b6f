import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readUnmatched } from "../../src/cli/unmatched.ts"
import { Unavailable } from "../../src/domain/publishing/platformError.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { backupsLayer } from "../backup/backedUpDatabase.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { scriptedPlatform } from "../publishing/scriptedPlatform.ts"

const since = DateTime.makeUnsafe("2026-01-01T00:00:00.000Z")
const until = DateTime.add(since, { hours: 1 })

const shown = (id: string, text: string) => ({ id, text, createdAt: DateTime.add(since, { minutes: 1 }) })

/** Timelines of X that show three posts; that of one account does not respond. */
const timelines = Layer.effect(
  PlatformClient,
  Effect.map(PlatformClient, ({ twitter, ...others }) => {
    const unmatched: PlatformAdapter["unmatched"] = (account) =>
      Effect.gen(function* () {
        if (account.accountId === "hanging") return yield* new Unavailable({ message: "X did not respond" })
        const posts = [shown("3", "Draft"), shown("2", "Known"), shown("1", "Unknown")]
        const texts = yield* account.others.unresolved(since)
        const published = yield* account.others.published(posts.map(({ id }) => id))
        const left = posts.filter(({ id, text }) => !texts.includes(text) && !published.has(id))
        return { posts: left, complete: true }
      })
    return { ...others, twitter: { ...twitter, unmatched } }
  })
).pipe(Layer.provide(scriptedPlatform))

layer(Layer.merge(backupsLayer, timelines), { excludeTestServices: true })("Posts that no target matches", (it) => {
  it.effect("are those that no target of the account owns or has the text of; an account that fails says why", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { posts } = yield* Repo
      const workspaceId = yield* makeWorkspace(["twitter"])
      const own = sql`SELECT id FROM post_targets WHERE workspace_id = ${workspaceId}::uuid`
      yield* posts.create(workspaceId, { ...plan(null), content: "Otherwise" })
      yield* sql`UPDATE post_targets SET status = 'published', platform_post_id = '2', published_at = now(), due_at = NULL,
        due_since = NULL WHERE id IN (${own})`
      yield* posts.create(workspaceId, { ...plan(null), content: "Draft" })
      for (const [account, status] of [
        ["hanging", "connected"],
        ["expired", "needs_reconnect"],
        ["gone", "disconnected"]
      ] as const) {
        const other = yield* makeWorkspace(["twitter"])
        yield* sql`UPDATE integrations SET account_id = ${account}, username = ${account}, status = ${status},
          credentials = CASE WHEN ${status} = 'disconnected' THEN NULL ELSE credentials END
          WHERE workspace_id = ${other}::uuid`
      }
      const reports = yield* readUnmatched(since, until)
      assert.deepStrictEqual(
        reports.map(({ account, error, posts }) => [account, error, posts.map(({ id }) => id)]),
        [
          ["team_twitter", null, ["1"]],
          ["expired", "The account has to be connected again", []],
          ["hanging", "X did not respond", []]
        ]
      )
    })
  )
})
