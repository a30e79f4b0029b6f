import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { parsePost } from "../../../src/repo/posts/rows.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const query = { limit: 10, maxBytes: 60_000, before: null, status: null }

layer(Layer.merge(repoLayer, Logger.layer([])), { excludeTestServices: true })("a post that can't be read", (it) => {
  it.effect.each([
    `media = '[{"id":1}]'`,
    `thread = '[{"content":1}]'`,
    `card = '{"url":5}'`,
    `platform_overrides = '{"twitter":5}'`,
    `platform_settings = '{"twitter":5}'`
  ])("Where somebody wrote %s, lists still have it and the others", (assignment) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { posts } = yield* Repo
      yield* deletePosts
      const [spoiled, other] = yield* makeDuePosts(1, 2)
      if (spoiled === undefined || other === undefined) return assert.fail()
      yield* sql`UPDATE posts SET ${sql.literal(assignment)} WHERE id = ${spoiled.id}::uuid`
      for (const status of [null, "scheduled" as const]) {
        const { posts: listed } = yield* posts.list(spoiled.workspaceId, { ...query, status })
        assert.sameMembers(
          listed.map(({ json }) => parsePost(json).id),
          [spoiled.id, other.id]
        )
      }
    })
  )

  it.effect("When it is due, it says itself that it can't be read, and the others are claimed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { posts, targets } = yield* Repo
      yield* deletePosts
      const [spoiled, other] = yield* makeDuePosts(2, 1)
      if (spoiled === undefined || other === undefined) return assert.fail()
      yield* sql`UPDATE posts SET platform_overrides = '{"twitter":5}' WHERE id = ${spoiled.id}::uuid`
      const claims = yield* targets.claim(10, lease)
      assert.deepStrictEqual(
        claims.map(({ targetId }) => targetId),
        [other.targetId]
      )
      const { posts: listed } = yield* posts.list(spoiled.workspaceId, query)
      const [target] = listed.flatMap(({ json }) => parsePost(json).post_targets)
      assert.strictEqual(target?.status, "pending")
      assert.match(target?.error?.message ?? "", /can't read what is stored/)
    })
  )
})
