import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type PostId, WorkspaceId } from "../../../src/domain/ids.ts"
import type { PostStatus } from "../../../src/domain/posts/post.ts"
import { ListClient, ReadClient } from "../../../src/repo/postgres/database.ts"
import type { PostBatch } from "../../../src/repo/posts/Posts.ts"
import { makeListPosts } from "../../../src/repo/posts/listPosts.ts"
import { greatestId, makeQuickList } from "../../../src/repo/posts/quickList.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { countingRows, inBulk, insertAccounts, insertPosts } from "../../support/database/manyAccounts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const postsEach = 2_000
const limit = 20
/**
 * For each post, four reads: the post, its target, and lookups of its columns. One extra post shows that another page
 * follows.
 */
const rowsOfPage = 4 * (limit + 1)

/** A size above the limit for lists that are read together. */
const maxBytes = 1_000_000

const Plans = Schema.Array(Schema.Struct({ custom: Schema.Int, generic: Schema.Int }))

/** For each list, how often the connection used a custom plan and the cached generic plan. */
const plansOfLists = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.flatMap(
    sql`SELECT custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements
      WHERE statement LIKE '%bytes_before%' AND statement NOT LIKE '%pg_prepared_statements%' ORDER BY prepare_time`,
    Schema.decodeUnknownEffect(Plans)
  )
)

/** The workspace of the first account, whose posts are the oldest. */
const oldestWorkspace = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`SELECT workspace_id AS id FROM integrations WHERE platform = 'bluesky' ORDER BY id LIMIT 1`
  const [{ id }] = yield* Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ id: WorkspaceId })]))(found)
  return id
})

/** Lists on the connection whose rows and plans are counted. */
const makeLists = Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.provideService(makeListPosts, ListClient, sql))

/** Lists the first pages of a workspace, each of them full. */
const listPages = Effect.fnUntraced(function* (workspaceId: WorkspaceId, status: PostStatus | null, pages: number) {
  const posts = yield* makeLists
  let before: PostId | null = null
  for (let page = 0; page < pages; page++) {
    const batch: PostBatch = yield* posts.list(workspaceId, { status, limit, maxBytes, before })
    assert.lengthOf(batch.posts, limit)
    assert.isTrue(batch.more)
    before = batch.posts.at(-1)?.id ?? null
  }
})

layer(repoLayer, { excludeTestServices: true })("posts.list", (it) => {
  it.effect("The plan for a page of all posts is kept while a few posts become thousands, and reads one page", () =>
    Effect.gen(function* () {
      const posts = yield* makeLists
      const sql = yield* SqlClient.SqlClient
      yield* insertAccounts(2)
      const empty = yield* makeWorkspace()
      const id = yield* oldestWorkspace
      const plans = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* Effect.repeat(posts.list(id, { status: null, limit, maxBytes, before: null }), { times: 9 })
          yield* inBulk(
            Effect.andThen(insertPosts([1, 1], postsEach, "1 day"), insertPosts([2, 2], postsEach, "1 day"))
          )
          const grown = yield* countingRows(listPages(id, null, 10))
          assert.isAtMost(grown.rows, 10 * rowsOfPage)
          yield* sql`ANALYZE posts, post_targets`
          const { rows } = yield* countingRows(listPages(id, null, 10))
          assert.isAtMost(rows, 10 * rowsOfPage)
          const nothing = yield* countingRows(posts.list(empty, { status: null, limit, maxBytes, before: null }))
          assert.lengthOf(nothing.value.posts, 0)
          assert.isAtMost(nothing.rows, rowsOfPage)
          return yield* plansOfLists
        })
      )
      // The first five executions have custom plans, whose costs PostgreSQL compares.
      assert.deepStrictEqual(plans, [{ custom: 5, generic: 26 }])
    })
  )

  it.effect("Lists that are asked for at once are read by one statement, whose plan reads one page of each", () =>
    Effect.gen(function* () {
      const posts = yield* makeLists
      const sql = yield* SqlClient.SqlClient
      const id = yield* oldestWorkspace
      const empty = yield* makeWorkspace()
      // The list uses the connection whose rows are counted.
      const read = yield* Effect.provideService(makeQuickList, ReadClient, sql)
      const list = (workspaceId: WorkspaceId) => read({ workspaceId, before: greatestId, limit, maxBytes })
      const lists = Effect.all([list(id), list(empty), list(id)], { concurrency: "unbounded" })
      const plans = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* Effect.repeat(list(id), { times: 9 })
          const { rows, value } = yield* countingRows(lists)
          assert.isAtLeast(rows, 2 * limit)
          assert.isAtMost(rows, 3 * rowsOfPage)
          const whole = yield* posts.list(id, { status: null, limit, maxBytes, before: null })
          assert.deepStrictEqual(
            value.map((listed) => listed.map(({ json }) => json)),
            [whole.posts, [], whole.posts].map((listed) => listed.map(({ json }) => json))
          )
          return yield* plansOfLists
        })
      )
      assert.deepInclude(plans, { custom: 5, generic: 6 })
    })
  )

  it.effect("The plan for a page of one status reads no newer posts of other workspaces", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = yield* oldestWorkspace
      yield* sql`UPDATE posts SET status = 'published', published_at = now() WHERE id IN (
        SELECT id FROM posts WHERE workspace_id = ${id}::uuid ORDER BY id DESC LIMIT ${postsEach / 2}::int)`
      yield* sql`ANALYZE posts, post_targets`
      for (const status of ["scheduled", "published"] as const) {
        const { rows } = yield* countingRows(listPages(id, status, 10))
        assert.isAtMost(rows, 10 * rowsOfPage)
      }
    })
  )
})
