import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { buildIndexes } from "../../../src/repo/postgres/buildIndexes.ts"
import { dueAccountsIndex } from "../../../src/repo/postgres/indexes.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { deletePosts, lease } from "../../support/database/duePosts.ts"
import { countingRows, inBulk, insertAccounts, insertPosts } from "../../support/database/manyAccounts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const accounts = 10
const withBacklog = 3
/** The accounts with a backlog have more posts in total than the 500 that a claim searches first. */
const backlog = 400
const due = withBacklog * backlog + accounts - withBacklog

/** Makes posts due. The posts of accounts without a backlog are due last. */
const makeBacklogs = Effect.gen(function* () {
  yield* deletePosts
  yield* inBulk(insertPosts([1, withBacklog], backlog, "-10 minutes", 1))
  yield* insertPosts([withBacklog + 1, accounts], 1, "-1 seconds")
})

const assertAllClaimed = Effect.gen(function* () {
  const { targets } = yield* Repo
  const { rows, value } = yield* countingRows(targets.claim(100, lease))
  assert.strictEqual(new Set(value.map(({ integration }) => integration.id)).size, accounts)
  // Without the index, each step of a walk would read all due targets.
  assert.isBelow(rows, 2 * due)
})

layer(repoLayer, { excludeTestServices: true })(
  "targets.claim without the index that a walk over accounts needs",
  (it) => {
    it.effect("Until the index is built, a claim reaches the accounts behind more than 500 posts of a few others", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* insertAccounts(accounts)
        yield* sql`DROP INDEX ${sql(dueAccountsIndex)}`
        yield* makeBacklogs
        yield* assertAllClaimed
      })
    )

    it.effect("A claim reaches them too, and does not walk, where a build that failed has left the index invalid", () =>
      Effect.gen(function* () {
        yield* makeBacklogs
        const failing = { name: dueAccountsIndex, definition: "ON post_targets (platform)", unique: true }
        assert.strictEqual((yield* Effect.flip(buildIndexes([failing])))._tag, "SqlError")
        yield* assertAllClaimed
      })
    )
  }
)
