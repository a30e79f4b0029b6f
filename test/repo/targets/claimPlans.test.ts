import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ClaimClient } from "../../../src/repo/postgres/database.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { ClaimSlots } from "../../../src/repo/targets/Targets.ts"
import { lease } from "../../support/database/duePosts.ts"
import { insertAccounts, insertPosts } from "../../support/database/manyAccounts.ts"
import { freshDatabase, repoOf } from "../../support/database/testDatabase.ts"

/** Few due targets, which have these slots, are claimed by their own statement. */
const slots: ClaimSlots = { platforms: { bluesky: 100 }, perHost: 100, hosts: {} }

const claimByBoth = Effect.gen(function* () {
  const { targets } = yield* Repo
  const few = yield* targets.claim(100, lease, { slots })
  return few.length + (yield* targets.claim(100, lease)).length
})

it.live("PostgreSQL plans no claim for its values, however many targets are due or in flight when it is analyzed", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const claims = yield* ClaimClient
    yield* insertAccounts(300)
    let claimed = yield* claimByBoth
    for (const due of ["1 day", "-2 seconds", "-1 seconds"]) {
      yield* insertPosts([1, 300], 1, due)
      for (let round = 0; round < 6; round++) {
        yield* sql`ANALYZE`
        claimed += yield* claimByBoth
      }
    }
    assert.strictEqual(claimed, 300)
    assert.deepStrictEqual(
      yield* claims`
        SELECT count(*)::int AS statements, sum(custom_plans)::int AS "forValues"
        FROM pg_prepared_statements WHERE statement LIKE '%claimed AS (%'`.unprepared,
      [{ statements: 2, forValues: 0 }]
    )
  }).pipe(Effect.provide(Layer.unwrap(Effect.map(freshDatabase, repoOf))))
)
