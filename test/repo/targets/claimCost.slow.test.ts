import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { ProcessId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { lease } from "../../support/database/duePosts.ts"
import { countingRows, inBulk, insertAccounts, insertPosts } from "../../support/database/manyAccounts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const accounts = 20_000

/** Claims, and returns how many rows the statement read. */
const countedClaim = (limit: number, hosts: Readonly<Record<string, number>> = {}, owner?: ProcessId) =>
  Effect.gen(function* () {
    const { targets } = yield* Repo
    const slots = { platforms: { twitter: limit, bluesky: limit }, perHost: limit, hosts }
    const claiming = targets.claim(limit, lease, {
      slots,
      ...(owner === undefined ? {} : { owner: { id: owner, takesOver: true } })
    })
    const { rows, value } = yield* countingRows(claiming)
    return { claims: value, rows }
  })

layer(repoLayer, { excludeTestServices: true })("What a claim of 100 reads", (it) => {
  it.effect("It depends on what is claimed, with 20,000 accounts of which 2,000 have due posts", () =>
    Effect.gen(function* () {
      yield* inBulk(insertAccounts(accounts))
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
      yield* inBulk(sql`DELETE FROM posts WHERE scheduled_at < now()`)
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
        yield* inBulk(sql`DELETE FROM posts WHERE status = 'publishing' OR scheduled_at < now()`)
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
      yield* inBulk(sql`DELETE FROM posts`)
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
      const { rows: rowsOfNextDue } = yield* countingRows(targets.nextDue(yield* DateTime.now))
      assert.isBelow(rowsOfNextDue, 400)
    })
  )

  it.effect("It stays so where the statistics are missing, and the posts of a few accounts fill the window", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* inBulk(sql`DELETE FROM posts`)
      yield* inBulk(insertPosts([1, 3], 1000, "-10 minutes", 1))
      yield* inBulk(insertPosts([4, 2000], 1, "-1 seconds"))
      yield* inBulk(insertPosts([2001, 6000], 1, "30 days"))
      for (const table of ["posts", "post_targets", "integrations"]) {
        yield* sql`SELECT pg_clear_relation_stats('public', ${table})`
        yield* sql`SELECT pg_clear_attribute_stats('public', ${table}, attname::text, false)
          FROM pg_attribute WHERE attrelid = ${table}::regclass AND attnum > 0`
      }
      const { claims, rows } = yield* countedClaim(100)
      assert.strictEqual(new Set(claims.map(({ integration }) => integration.id)).size, 100)
      assert.isBelow(rows, 4000)
    })
  )

  it.effect("It finds threads that have begun by their own index, whose size is bounded by a window", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* inBulk(sql`DELETE FROM posts`)
      yield* inBulk(insertPosts([1, 2000], 5, "-1 hours"))
      yield* sql`ANALYZE post_targets`
      const claimed = Effect.map(countedClaim(100), ({ claims, rows }) => {
        assert.lengthOf(claims, 100)
        return { rows, begun: claims.filter(({ part }) => part > 1).length }
      })
      const before = yield* claimed
      assert.strictEqual(before.begun, 0)
      const begin = (count: number) =>
        inBulk(sql`
          WITH begun AS (
            UPDATE post_targets SET part = 2, begun_at = now(), due_at = now() - interval '1 second',
              parts = '[{"id":"1","cid":null,"url":null,"published_at":"2026-01-01T00:00:00Z"}]'
            WHERE id IN (SELECT DISTINCT ON (integration_id) id FROM post_targets
              WHERE status = 'pending' AND part = 1 ORDER BY integration_id, id DESC LIMIT ${count}::int)
            RETURNING post_id)
          UPDATE posts SET status = 'publishing',
            thread = '[{"content":"y","platform_overrides":{},"media":[],"card":null,"platforms":null}]'
          FROM begun WHERE posts.id = begun.post_id`)
      yield* begin(1)
      assert.isBelow((yield* claimed).rows, before.rows + 300)
      yield* begin(1900)
      const many = yield* claimed
      assert.isAbove(many.begun, 0)
      assert.isBelow(many.rows, 6000)
    })
  )

  it.effect(
    "Where 2,000 accounts have a target in flight, it reads those and a bounded number of what waits for them",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* inBulk(sql`DELETE FROM posts`)
        yield* inBulk(insertPosts([1, 2000], 1, "-2 seconds"))
        const { processes } = yield* Repo
        const { id: owner } = yield* processes.renew(null, Duration.seconds(30))
        let inFlight = 0
        while (inFlight < 2000) inFlight += (yield* countedClaim(500, {}, owner)).claims.length
        yield* inBulk(insertPosts([1, 2000], 2, "-1 seconds"))
        const { claims, rows } = yield* countedClaim(100, {}, owner)
        assert.lengthOf(claims, 0)
        assert.isBelow(rows, 12_000)

        // The process's lease has expired, so that its claims can be taken over.
        yield* sql`UPDATE processes SET lease_until = now() - interval '1 second'`
        const { id: other } = yield* processes.renew(null, Duration.seconds(30))
        const { claims: taken, rows: rowsOfTaken } = yield* countedClaim(100, {}, other)
        assert.lengthOf(taken, 100)
        assert.isBelow(rowsOfTaken, 12_000)
      })
  )
})
