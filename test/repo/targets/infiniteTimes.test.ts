import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import type { ClaimSlots } from "../../../src/repo/targets/Targets.ts"
import { deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const slots: ClaimSlots = { perHost: 100, platforms: { twitter: 100, bluesky: 100 }, hosts: {} }

/** The last time that PostgreSQL can store. */
const lastTime = "294276-12-31 23:59:59+00"

const inFlight = "status = 'publishing', claim_token = gen_random_uuid(), attempts = 2"

/** Assignments that somebody could have made by hand. */
const spoiled = [
  "due_at = '-infinity'",
  "due_at = '-infinity', due_since = '-infinity'",
  "due_since = 'infinity'",
  "due_since = '-infinity', reconcile_from = '-infinity', reconcile_until = 'infinity', sent_at = '-infinity', prepared = '{}'",
  `${inFlight}, due_at = 'infinity', lease_until = '-infinity'`,
  `${inFlight}, due_at = '-infinity', lease_until = '-infinity'`,
  `${inFlight}, due_at = '${lastTime}', lease_until = now() - interval '1 minute'`
]

const spoil = Effect.fnUntraced(function* (assignments: string, targetId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE post_targets SET ${sql.literal(assignments)} WHERE id = ${targetId}::uuid`
})

const claimedIds = Effect.fnUntraced(function* (given?: ClaimSlots) {
  const { targets } = yield* Repo
  const claims = yield* targets.claim(100, lease, given === undefined ? {} : { slots: given })
  return claims.map(({ targetId }) => targetId)
})

layer(Layer.merge(repoLayer, Logger.layer([])), { excludeTestServices: true })("times that are out of range", (it) => {
  // Without slots the fair statement claims, with slots the statement for few targets.
  for (const given of [undefined, slots]) {
    it.effect.each(spoiled)(
      `A target with %s does not keep others from being claimed${given === undefined ? "" : " while few are due"}`,
      (assignments) =>
        Effect.gen(function* () {
          yield* deletePosts
          const [poisoned, neighbor] = yield* makeDuePosts(2, 1)
          if (poisoned === undefined || neighbor === undefined) return assert.fail()
          yield* spoil(assignments, poisoned.targetId)
          assert.include(yield* claimedIds(given), neighbor.targetId)
          const { targets } = yield* Repo
          assert.isAtMost((yield* targets.backlog).due, 1)
          yield* targets.nextDue(yield* DateTime.now)
        })
    )
  }

  it.effect("A target whose due time is infinitely long ago is claimed as one that is due", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const [poisoned] = yield* makeDuePosts(1, 1)
      if (poisoned === undefined) return assert.fail()
      yield* spoil("due_at = '-infinity'", poisoned.targetId)
      assert.deepStrictEqual(yield* claimedIds(slots), [poisoned.targetId])
    })
  )

  it.effect("One among more due targets than a claim looks at first keeps no account from its turn", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const [poisoned, ...backlog] = yield* makeDuePosts(2, 600)
      if (poisoned === undefined) return assert.fail()
      yield* spoil("due_at = '-infinity'", poisoned.targetId)
      const accounts = new Map(backlog.map(({ account, targetId }) => [targetId, account]))
      accounts.set(poisoned.targetId, poisoned.account)
      const claimed = yield* claimedIds()
      assert.strictEqual(new Set(claimed.map((id) => accounts.get(id))).size, 2)
    })
  )

  it.effect("Processes whose leases are infinite hide no gap, and keep no process from starting", () =>
    Effect.gen(function* () {
      const { publishingState } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      yield* deletePosts
      yield* makeDuePosts(1, 1)
      yield* sql`DELETE FROM processes`
      const insert = (until: string) => sql`
        INSERT INTO processes (id, started_at, lease_until) VALUES (gen_random_uuid(), now(), ${until}::timestamptz)`
      yield* insert("-infinity")
      assert.strictEqual(yield* publishingState.lookAfterGap, 0)
      yield* insert("infinity")
      yield* sql`INSERT INTO processes (id, started_at, lease_until) VALUES (gen_random_uuid(), now(), now() - interval '1 hour')`
      assert.strictEqual(yield* publishingState.lookAfterGap, 1)
      yield* sql`DELETE FROM processes`
    })
  )
})
