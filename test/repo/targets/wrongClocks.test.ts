import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Timestamp } from "../../../src/repo/postgres/rows.ts"
import type { TargetError } from "../../../src/domain/post.ts"
import { settleLate } from "../../../src/domain/settlement.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"

const trueTime = TestClock.withLive(DateTime.now)

/** Runs a test in a process whose clock is 30 hours ahead of the database's. */
const ahead = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.addDuration(yield* trueTime, "30 hours")))
    yield* Effect.provide(test, repoLayer)
  })

/** Claims a post that is due now by the database's clock. */
const claimDue = Effect.gen(function* () {
  const { posts, targets } = yield* Repo
  const workspace = yield* makeWorkspace(["twitter"])
  yield* posts.create(workspace, plan(yield* trueTime))
  const [claim] = yield* targets.claim(1, Duration.minutes(3))
  return claim ?? (yield* Effect.die("Nothing was due"))
})

/** Settles a claim so that it is tried again in an hour, and answers how many minutes from now that really is. */
const retryInAnHour = Effect.fnUntraced(function* (code: TargetError["code"]) {
  const { targets } = yield* Repo
  const sql = yield* SqlClient.SqlClient
  const claim = yield* claimDue
  const at = DateTime.addDuration(yield* DateTime.now, "1 hour")
  yield* targets.settle(claim, { _tag: "Retry", at, error: { code, message: "No", retryable: true } })
  const rows = yield* sql`SELECT due_at FROM post_targets WHERE id = ${claim.targetId}::uuid`
  const [row] = yield* Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ due_at: Timestamp })]))(rows)
  return Math.round(Duration.toMinutes(DateTime.distance(yield* trueTime, row.due_at)))
})

describe("A process whose clock is more than a day ahead of the database's", () => {
  it.effect("does not take a post that is due for one that was missed", () =>
    ahead(
      Effect.gen(function* () {
        const claim = yield* claimDue
        assert.isUndefined(settleLate({ ...claim, now: yield* DateTime.now }))
      })
    )
  )

  it.effect("waits no longer for a retry, but for a rate limit until the time that the platform said", () =>
    ahead(
      Effect.gen(function* () {
        assert.strictEqual(yield* retryInAnHour("unavailable"), 60)
        assert.strictEqual(yield* retryInAnHour("rate_limited"), 31 * 60)
      })
    )
  )

  it.effect("looks ahead to when a post is due by the database's clock, whose word counts", () =>
    ahead(
      Effect.gen(function* () {
        const { posts, targets } = yield* Repo
        yield* posts.create(yield* makeWorkspace(["twitter"]), plan(DateTime.addDuration(yield* trueTime, "1 hour")))
        const next = Option.getOrThrow(yield* targets.nextDue)
        assert.strictEqual(Math.round(Duration.toMinutes(DateTime.distance(yield* DateTime.now, next))), 60)
      })
    )
  )
})
