import { assert, describe, it, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Option, Result, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { TestClock } from "effect/testing"
import { nextClaimToken, TargetId } from "../../../src/domain/ids.ts"
import type { TargetError } from "../../../src/domain/posts/post.ts"
import { settleLate } from "../../../src/domain/publishing/settlement.ts"
import { makePostponeUpload } from "../../../src/repo/platformUploads/postponeUpload.ts"
import { Timestamp } from "../../../src/repo/postgres/rows.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { storeFile } from "../../support/database/mediaFixtures.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { withWallClockAhead } from "../../support/wallClock.ts"
import { expireLease, targetError } from "./settlements.ts"
import { planCreate, planPublish } from "../../support/plans.ts"

layer(repoLayer, { excludeTestServices: true })(
  "A process whose clock differs from the database's by minutes",
  (it) => {
    it.effect("A process with a fast clock claims nothing early and takes over no lease before it expires", () =>
      Effect.gen(function* () {
        yield* deletePosts
        const { posts, targets } = yield* Repo
        const workspace = yield* makeWorkspace(["twitter", "bluesky"])
        const now = yield* DateTime.now
        const fast = withWallClockAhead(10 * 60_000)
        yield* posts.create(workspace, plan(DateTime.addDuration(now, "5 minutes"), ["twitter"]))
        yield* posts.create(workspace, plan(now, ["bluesky"]))
        const [claim] = yield* targets.claim(10, lease)
        assert.strictEqual(claim?.platform, "bluesky")
        assert.deepStrictEqual(yield* fast(targets.claim(10, lease)), [])
      })
    )

    it.effect("A process with a fast clock stores a time of sending that is not ahead of the database's clock", () =>
      Effect.gen(function* () {
        yield* deletePosts
        const { targets } = yield* Repo
        yield* makeDuePosts(1, 1)
        const [claim] = yield* targets.claim(1, lease)
        assert.isDefined(claim)
        if (claim === undefined) return
        yield* withWallClockAhead(10 * 60_000)(targets.beginSend(claim, "text", lease))
        yield* expireLease(claim)
        const [next] = yield* targets.claim(1, lease)
        assert.isNotNull(next?.sentAt)
        if (next?.sentAt == null) return
        const age = Duration.toSeconds(DateTime.distance(next.sentAt, yield* DateTime.now))
        assert.isAtLeast(age, 0)
        assert.isBelow(age, 60)
      })
    )

    it.effect("A process with a fast clock claims at a time that is not ahead of the database's clock", () =>
      Effect.gen(function* () {
        yield* deletePosts
        const { targets } = yield* Repo
        yield* makeDuePosts(1, 1)
        const before = yield* DateTime.now
        const [claim] = yield* withWallClockAhead(10 * 60_000)(targets.claim(1, lease))
        assert.isDefined(claim)
        if (claim === undefined) return
        const late = Duration.toSeconds(DateTime.distance(before, claim.claimedAt))
        assert.isTrue(late > -1 && late < 60, `${late} s`)
      })
    )

    it.effect("The platform has processed a post for as long on a fast clock as on the database's", () =>
      Effect.gen(function* () {
        yield* deletePosts
        const sql = yield* SqlClient.SqlClient
        const { targets } = yield* Repo
        yield* makeDuePosts(1, 1)
        const ages: Array<number> = []
        for (const skew of [10 * 60_000, 0, 10 * 60_000]) {
          const asProcess = withWallClockAhead(skew)
          const [claim] = yield* asProcess(targets.claim(1, lease))
          if (claim === undefined) return assert.fail("Nothing was due")
          const now = yield* asProcess(DateTime.now)
          if (claim.processingSince !== null)
            ages.push(Duration.toSeconds(DateTime.distance(claim.processingSince, now)))
          // In the first round, the platform accepts the post.
          yield* asProcess(targets.settle(claim, { _tag: "Taken", at: now }))
          yield* sql`UPDATE post_targets SET due_at = now() - interval '1 second' WHERE id = ${claim.targetId}::uuid`
        }
        assert.lengthOf(ages, 2)
        for (const age of ages) assert.isTrue(age > -1 && age < 60, `${age} s`)
      })
    )

    it.effect("A process with a fast clock makes a post due at once that it publishes now", () =>
      Effect.gen(function* () {
        yield* deletePosts
        const { posts, targets } = yield* Repo
        const workspace = yield* makeWorkspace(["twitter"])
        const later = plan(DateTime.addDuration(yield* DateTime.now, "1 hour"))
        const { id } = yield* posts.create(workspace, later)
        yield* withWallClockAhead(60_000)(posts.publish(workspace, id, planPublish))
        assert.deepStrictEqual(
          // A process's clock has no microseconds, so a target that became due in this millisecond is not due by it.
          (yield* withWallClockAhead(2)(targets.claim(10, lease))).map(({ postId }) => postId),
          [id]
        )
      })
    )

    it.effect("A time that has passed only by a fast clock stays the post's time", () =>
      Effect.gen(function* () {
        const soon = DateTime.addDuration(yield* DateTime.now, "20 seconds")
        const planned = planCreate(
          { content: "Soon", platforms: ["twitter"], schedule_at: soon },
          DateTime.addDuration(soon, "40 seconds")
        )
        assert.deepStrictEqual(
          Result.map(planned, ({ scheduledAt }) => scheduledAt),
          Result.succeed(soon)
        )
      })
    )

    it.effect("A process with a slow clock does not shorten the wait that a platform asks for", () =>
      Effect.gen(function* () {
        yield* deletePosts
        const { targets } = yield* Repo
        const sql = yield* SqlClient.SqlClient
        yield* makeDuePosts(1, 1)
        const [claim] = yield* targets.claim(1, lease)
        if (claim === undefined) return assert.fail("Nothing was due")
        yield* withWallClockAhead(-80_000)(
          Effect.flatMap(DateTime.now, (now) =>
            targets.settle(claim, {
              _tag: "Retry",
              at: DateTime.addDuration(now, "60 seconds"),
              error: targetError("rate_limited")
            })
          )
        )
        assert.deepStrictEqual(
          yield* sql`SELECT due_at > now() + interval '50 seconds' AS waits FROM post_targets WHERE id = ${claim.targetId}::uuid`,
          [{ waits: true }]
        )
      })
    )

    it.effect.each([
      ["slow", -80_000],
      ["fast", 80_000]
    ] as const)(
      "A process with a %s clock keeps the wait that a platform asks for before an upload goes on",
      ([, skew]) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const postpone = yield* makePostponeUpload
          const workspace = yield* makeWorkspace(["twitter"])
          const { posts } = yield* Repo
          const file = yield* storeFile(workspace)
          const at = DateTime.addDuration(yield* DateTime.now, "1 hour")
          const { id } = yield* posts.create(workspace, { ...plan(at), media: [file] })
          const token = yield* nextClaimToken
          const [row] = yield* SqlSchema.findAll({
            Request: Schema.Struct({}),
            Result: Schema.Struct({ targetId: TargetId }),
            execute: () => sql`
            UPDATE post_target_uploads u SET status = 'uploading', claim_token = ${token}::uuid, next_at = NULL,
              lease_until = now() + interval '1 hour', attempts = 1
            FROM post_targets t WHERE t.id = u.target_id AND t.post_id = ${id}::uuid RETURNING u.target_id AS "targetId"`
          })({})
          if (row === undefined) return assert.fail("Nothing is uploaded")
          yield* withWallClockAhead(skew)(
            Effect.flatMap(DateTime.now, (now) =>
              postpone({
                ...row,
                token,
                now,
                at: DateTime.addDuration(now, "60 seconds"),
                givesBack: 0,
                error: null,
                isShown: false,
                begun: { _tag: "Kept" }
              })
            )
          )
          assert.deepStrictEqual(
            yield* sql`SELECT next_at BETWEEN now() + interval '50 seconds' AND now() + interval '61 seconds' AS waits
            FROM post_target_uploads WHERE target_id = ${row.targetId}::uuid`,
            [{ waits: true }]
          )
        })
    )

    it.effect("A process with a slow clock claims late, and its lease still covers its work", () =>
      Effect.gen(function* () {
        yield* deletePosts
        const { posts, targets } = yield* Repo
        const slow = withWallClockAhead(-80_000)
        const workspace = yield* makeWorkspace(["twitter", "bluesky"])
        const now = yield* DateTime.now
        yield* posts.create(workspace, plan(DateTime.subtractDuration(now, "60 seconds"), ["twitter"]))
        yield* posts.create(workspace, plan(DateTime.subtractDuration(now, "100 seconds"), ["bluesky"]))
        const [claim] = yield* slow(targets.claim(10, lease))
        assert.strictEqual(claim?.platform, "bluesky")
        const others = yield* targets.claim(10, lease)
        assert.deepStrictEqual(
          others.map(({ platform }) => platform),
          ["twitter"]
        )
      })
    )
  }
)

const realTime = TestClock.withLive(DateTime.now)

/** Runs a test in a process whose clock is 30 hours ahead of the database's. */
const aDayAhead = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.addDuration(yield* realTime, "30 hours")))
    yield* Effect.provide(test, repoLayer)
  })

/** Claims a post that is due now by the database's clock. */
const claimDue = Effect.gen(function* () {
  const { posts, targets } = yield* Repo
  const workspace = yield* makeWorkspace(["twitter"])
  yield* posts.create(workspace, plan(yield* realTime))
  const [claim] = yield* targets.claim(1, Duration.minutes(3))
  return claim ?? (yield* Effect.die("Nothing was due"))
})

/** Settles a claim with a retry in an hour, and returns the minutes of real time until the retry. */
const retryInAnHour = Effect.fnUntraced(function* (code: TargetError["code"]) {
  const { targets } = yield* Repo
  const sql = yield* SqlClient.SqlClient
  const claim = yield* claimDue
  const at = DateTime.addDuration(yield* DateTime.now, "1 hour")
  yield* targets.settle(claim, { _tag: "Retry", at, error: targetError(code) })
  const rows = yield* sql`SELECT due_at FROM post_targets WHERE id = ${claim.targetId}::uuid`
  const [row] = yield* Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ due_at: Timestamp })]))(rows)
  return Math.round(Duration.toMinutes(DateTime.distance(yield* realTime, row.due_at)))
})

describe("A process whose clock is more than a day ahead of the database's", () => {
  it.effect("A process with a clock a day ahead does not fail a post that is due as missed", () =>
    aDayAhead(
      Effect.gen(function* () {
        const claim = yield* claimDue
        assert.isUndefined(settleLate({ ...claim, now: yield* DateTime.now }))
      })
    )
  )

  it.effect(
    "A process with a clock a day ahead lengthens neither a retry's delay nor the wait that a platform asks for",
    () =>
      aDayAhead(
        Effect.gen(function* () {
          assert.strictEqual(yield* retryInAnHour("unavailable"), 60)
          assert.strictEqual(yield* retryInAnHour("rate_limited"), 60)
        })
      )
  )

  it.effect("A process with a clock a day ahead finds the next due time by the database's clock", () =>
    aDayAhead(
      Effect.gen(function* () {
        const { posts, targets } = yield* Repo
        yield* posts.create(yield* makeWorkspace(["twitter"]), plan(DateTime.addDuration(yield* realTime, "1 hour")))
        const { at, isAnyLeft } = yield* targets.nextDue(yield* DateTime.now)
        const next = Option.getOrThrow(at)
        assert.isFalse(isAnyLeft)
        assert.strictEqual(Math.round(Duration.toMinutes(DateTime.distance(yield* DateTime.now, next))), 60)
      })
    )
  )
})
