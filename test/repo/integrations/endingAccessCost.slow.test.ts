import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { countingRows, inBulk, insertAccounts, insertPosts } from "../../support/database/manyAccounts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const accounts = 20_000
const limit = 4000

/** Finds access that expires soon, and counts the rows that the statement read. */
const look = (seed: number) =>
  Effect.flatMap(Repo, ({ integrations }) => countingRows(integrations.endingAccess(Duration.minutes(15), limit, seed)))

layer(repoLayer, { excludeTestServices: true })("What a look for access that ends reads", (it) => {
  it.effect("It reads nothing of 20,000 accounts with posts, of which none is due soon", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* inBulk(insertAccounts(accounts))
      yield* inBulk(sql`UPDATE integrations SET updated_at = now() - interval '1 day'`)
      for (let from = 1; from <= accounts; from += 4000) yield* inBulk(insertPosts([from, from + 3999], 1, "30 days"))
      const { rows, value } = yield* look(1)
      assert.isEmpty(value)
      assert.isBelow(rows, 50)
    })
  )

  it.effect("It reads the accounts whose posts are due soon, and no others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* inBulk(insertPosts([1, 1000], 1, "7 minutes"))
      // With statistics from before the accounts and with new ones.
      for (const analyze of [Effect.void, inBulk(sql`ANALYZE`)]) {
        yield* analyze
        const { rows, value } = yield* look(1)
        assert.lengthOf(value, 1000)
        assert.isBelow(rows, 3000)
      }
    })
  )

  it.effect(
    "It reads a bounded number where every account has a post soon, and looks reach all of them in the end",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (let from = 1001; from <= accounts; from += 4750)
          yield* inBulk(insertPosts([from, from + 4749], 1, "7 minutes"))
        for (const seed of [0, 2 ** 30, 2 ** 31 - 1]) {
          const { rows, value } = yield* look(seed)
          assert.lengthOf(value, limit)
          assert.isBelow(rows, 30_000)
        }
        yield* inBulk(sql`UPDATE integrations SET access_until = now() + interval '2 hours'`)
        const { rows, value } = yield* look(1)
        assert.isEmpty(value)
        assert.isBelow(rows, 30_000)
        // One account needs a renewal, among many that don't.
        yield* sql`UPDATE integrations SET access_until = now() WHERE id = (SELECT id FROM integrations ORDER BY id DESC LIMIT 1)`
        const seeds = Array.from({ length: 16 }, (_, index) => index * 2 ** 27)
        const found = yield* Effect.forEach(seeds, (seed) => Effect.map(look(seed), (looked) => looked.value.length))
        assert.isTrue(found.includes(1))
      })
  )
})
