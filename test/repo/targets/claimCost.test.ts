import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { lease } from "../../support/database/duePosts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const accounts = 20_000

/** Allows an insertion of many rows the time that it takes. */
const inBulk = <A, E, R>(insert: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(Effect.andThen(sql`SET LOCAL statement_timeout = '60s'`, insert))
  )

const insertAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH teams AS (
      INSERT INTO workspaces (id, name, created_at) SELECT uuidv7(), 'A team', now()
      FROM generate_series(1, ${accounts}::int) RETURNING id
    )
    INSERT INTO integrations (id, workspace_id, platform, account_id, username, status, service_url, credentials, created_at, updated_at)
    SELECT uuidv7(), id, 'bluesky', 'a', 'team', 'connected', 'https://pds.test', 'x', now(), now() FROM teams`
})

/** Inserts posts with one target each on the accounts from `from` up to `to`, the first of them being 1. */
const insertPosts = Effect.fnUntraced(function* (
  [from, to]: readonly [number, number],
  posts: number,
  due: string,
  seconds = 0
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH account AS (
      SELECT id, workspace_id, row_number() OVER (ORDER BY id) AS n FROM integrations
    ), post AS (
      SELECT uuidv7() AS id, account.id AS account, workspace_id, now() + ${due}::interval - g * ${seconds}::int * interval '1 second' AS due
      FROM account CROSS JOIN generate_series(1, ${posts}::int) g WHERE n BETWEEN ${from}::int AND ${to}::int
    ), posts AS (
      INSERT INTO posts (id, workspace_id, status, content, scheduled_at, tags, platform_overrides, platform_settings, created_at)
      SELECT id, workspace_id, 'scheduled', 'Hello', due, '{}', '{}', '{}', now() FROM post
    )
    INSERT INTO post_targets (id, workspace_id, post_id, integration_id, platform, position, status, due_since, due_at)
    SELECT uuidv7(), workspace_id, id, account, 'bluesky', 1, 'pending', due, due FROM post`
})

const Counted = Schema.Tuple([Schema.Struct({ rows: Schema.Int })])

/** How many rows the connection has read, also those that it has not reported yet. */
const rowsRead = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const counted = yield* sql`
    SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_xact_user_tables
    WHERE relname IN ('post_targets', 'integrations', 'posts')`
  const [{ rows }] = yield* Schema.decodeUnknownEffect(Counted)(counted)
  return rows
})

/** Claims, and returns how many rows the statement read. */
const countedClaim = (limit: number, hosts: Readonly<Record<string, number>> = {}) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { targets } = yield* Repo
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        const before = yield* rowsRead
        const slots = { platforms: { twitter: limit, bluesky: limit }, perHost: limit, hosts }
        const claims = yield* targets.claim(limit, lease, { slots })
        return { claims, rows: (yield* rowsRead) - before }
      })
    )
  })

layer(repoLayer, { excludeTestServices: true, timeout: "60 seconds" })("What a claim of 100 reads", (it) => {
  it.effect("It depends on what is claimed, with 20,000 accounts of which 2,000 have due posts", () =>
    Effect.gen(function* () {
      yield* inBulk(insertAccounts)
      for (let from = 1; from <= accounts; from += 4000) {
        yield* insertPosts([from, from + 3999], 1, "30 days")
      }
      yield* inBulk(insertPosts([1, 2000], 1, "-1 seconds"))
      const { claims, rows } = yield* countedClaim(100)
      assert.lengthOf(claims, 100)
      assert.isBelow(rows, 4000)
    })
  )

  it.effect("It stays so behind a backlog of 10,000 posts of one account, which hides 300 accounts from nobody", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM posts WHERE scheduled_at < now()`
      yield* inBulk(insertPosts([7, 7], 10_000, "-10 minutes", 1))
      yield* inBulk(insertPosts([101, 400], 1, "-1 seconds"))
      const reached = new Set<string>()
      for (let round = 0; round < 4; round++) {
        const { claims, rows } = yield* countedClaim(100)
        for (const { integration } of claims) reached.add(integration.id)
        assert.isBelow(rows, 4000)
      }
      assert.strictEqual(reached.size, 301)
    })
  )

  it.effect(
    "It is bounded where thousands of accounts wait for a host without a slot, and what is on other hosts goes out",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM posts WHERE status = 'publishing' OR scheduled_at < now()`
        yield* inBulk(insertPosts([1, 5000], 1, "-1 hours"))
        yield* inBulk(insertPosts([5001, 5001], 1, "-1 seconds"))
        yield* sql`UPDATE integrations SET service_url = 'https://other.test'
        WHERE id = (SELECT integration_id FROM post_targets WHERE status = 'pending' AND due_at < now() ORDER BY due_at DESC LIMIT 1)`
        let taken = 0
        for (let round = 0; round < 200 && taken === 0; round++) {
          const { claims, rows } = yield* countedClaim(100, { "https://pds.test": 0 })
          taken += claims.length
          assert.isBelow(rows, 8000)
        }
        assert.strictEqual(taken, 1)
      })
  )

  it.effect("It does not depend on statistics that were gathered while no post was scheduled", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM posts`
      yield* inBulk(insertPosts([1, 5000], 1, "-1 days"))
      yield* inBulk(
        sql`UPDATE post_targets SET status = 'published', due_at = NULL, due_since = NULL, published_at = now()`
      )
      yield* inBulk(sql`UPDATE posts SET status = 'published', published_at = now()`)
      yield* sql`VACUUM ANALYZE posts, post_targets`
      yield* inBulk(insertPosts([5001, 15_000], 1, "-1 seconds"))
      const { claims, rows } = yield* countedClaim(100)
      assert.lengthOf(claims, 100)
      assert.isBelow(rows, 4000)
      const { targets } = yield* Repo
      yield* inBulk(insertPosts([1, 5000], 1, "1 days"))
      const rowsOfNextDue = yield* sql.withTransaction(
        Effect.gen(function* () {
          const before = yield* rowsRead
          yield* targets.nextDue
          return (yield* rowsRead) - before
        })
      )
      assert.isBelow(rowsOfNextDue, 400)
    })
  )
})
