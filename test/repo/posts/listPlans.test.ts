import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type PostId, WorkspaceId } from "../../../src/domain/ids.ts"
import type { PostBatch } from "../../../src/repo/posts/Posts.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { countingRows, inBulk, insertAccounts, insertPosts } from "../../support/database/manyAccounts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const postsEach = 2_000
const limit = 20
/** A post, its target, and what a post's columns look up; one post more than the page tells whether another one follows. */
const rowsOfPage = 4 * (limit + 1)

const Plans = Schema.Tuple([Schema.Struct({ custom: Schema.Int, generic: Schema.Int })])

layer(repoLayer, { excludeTestServices: true, timeout: "60 seconds" })("The plan for a page of posts", (it) => {
  it.effect("It is kept, and reads one page although few workspaces have most of the posts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { posts } = yield* Repo
      yield* inBulk(Effect.andThen(insertAccounts(2), insertPosts([1, 2], postsEach, "1 day")))
      const empty = yield* makeWorkspace()
      yield* sql`ANALYZE posts, post_targets`
      const found =
        yield* sql`SELECT workspace_id AS id FROM integrations WHERE platform = 'bluesky' ORDER BY id LIMIT 1`
      const [{ id }] = yield* Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ id: WorkspaceId })]))(found)

      const { rows, value } = yield* countingRows(
        Effect.gen(function* () {
          let before: PostId | null = null
          for (let page = 0; page < 20; page++) {
            const batch: PostBatch = yield* posts.list(id, { status: null, limit, maxBytes: 1_000_000, before })
            assert.lengthOf(batch.posts, limit)
            before = batch.posts.at(-1)?.id ?? null
            assert.isTrue(batch.more)
          }
          const nothing = yield* countingRows(
            posts.list(empty, { status: null, limit, maxBytes: 1_000_000, before: null })
          )
          assert.lengthOf(nothing.value.posts, 0)
          assert.isAtMost(nothing.rows, rowsOfPage)
          return yield* Effect.flatMap(
            sql`SELECT custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements
              WHERE statement LIKE '%bytes_before%' AND statement NOT LIKE '%pg_prepared_statements%'`,
            Schema.decodeUnknownEffect(Plans)
          )
        })
      )
      assert.isAtMost(rows, 21 * rowsOfPage)
      // The first five are planned for their values, so that PostgreSQL can compare what they cost.
      assert.deepStrictEqual(value, [{ custom: 5, generic: 16 }])
    })
  )
})
