import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { planPublish, planUpdate } from "../../support/plans.ts"

const day = "24 hours"

/** A post that failed on Bluesky at its planned time, which is given, and that is published on X. */
const start = Effect.fn("start")(function* (planned: string) {
  const sql = yield* SqlClient.SqlClient
  const { posts } = yield* Repo
  const workspaceId = yield* makeWorkspace()
  const { id } = yield* posts.create(workspaceId, plan(yield* DateTime.now, ["twitter", "bluesky"]))
  yield* sql`UPDATE post_targets SET status = 'failed', due_at = NULL, due_since = NULL, error_code = 'rejected',
    error_message = 'Refused', error_retryable = false WHERE post_id = ${id}::uuid AND platform = 'bluesky'`
  yield* sql`UPDATE post_targets SET status = 'published', due_at = NULL, due_since = NULL, published_at = to_timestamp(0)
    WHERE post_id = ${id}::uuid AND platform = 'twitter'`
  yield* sql`UPDATE posts SET status = 'failed', scheduled_at = ${planned}::timestamptz WHERE id = ${id}::uuid`
  const dueTimes = Effect.map(
    sql<{ readonly due_since: Date | null; readonly due_at: Date | null }>`SELECT due_since, due_at FROM post_targets
      WHERE post_id = ${id}::uuid AND platform = 'bluesky'`,
    ([row]) => [row?.due_since?.toISOString(), row?.due_at?.toISOString()]
  )
  const publish = posts.publish(workspaceId, id, (post) => planPublish(post))
  const change = (patch: Parameters<typeof planUpdate>[1]) =>
    Effect.flatMap(DateTime.now, (now) => posts.update(workspaceId, id, (post) => planUpdate(post, patch, now)))
  return { change, dueTimes, id, publish, workspaceId }
})

layer(repoLayer)("a post of which something is published later", (it) => {
  it.effect.each(["1970-01-01T09:00:00.000Z", "1970-01-01T09:00:00.000456Z"])(
    "It keeps its planned time (%s), and what failed is due now, also after a change of the tags",
    (planned) =>
      Effect.gen(function* () {
        const { change, dueTimes, publish } = yield* start(planned)
        yield* TestClock.adjust("72 hours")
        const now = DateTime.formatIso(yield* DateTime.now)
        const time = DateTime.makeUnsafe("1970-01-01T09:00:00.000Z")
        const ordered = yield* publish
        assert.deepInclude(ordered, { status: "scheduled", scheduled_at: time, revision: 2 })
        assert.deepStrictEqual(yield* dueTimes, [now, now])

        yield* TestClock.adjust(day)
        assert.deepStrictEqual(yield* publish, ordered)
        assert.deepStrictEqual(yield* dueTimes, [now, now])

        const tagged = yield* change({ tags: ["late"] })
        assert.deepInclude(tagged, { status: "scheduled", revision: 3 })
        assert.deepStrictEqual(yield* dueTimes, [now, now])

        const later = DateTime.makeUnsafe("1970-01-20T09:00:00.000Z")
        const moved = yield* change({ scheduled_at: later })
        assert.deepStrictEqual(moved.scheduled_at, later)
        assert.deepStrictEqual(yield* dueTimes, [DateTime.formatIso(later), DateTime.formatIso(later)])
      })
  )

  it.effect("It is published late and not given up as missed, and stays on its day", () =>
    Effect.gen(function* () {
      const { posts, targets } = yield* Repo
      const { id, publish, workspaceId } = yield* start("1970-01-01T09:00:00.000Z")
      yield* TestClock.adjust("96 hours")
      yield* publish
      const now = yield* DateTime.now
      const claims = yield* targets.claim(10, Duration.minutes(1))
      const claim = claims.find(({ postId }) => postId === id)
      if (claim === undefined) return assert.fail("The target is not due")
      assert.isTrue(DateTime.Equivalence(claim.dueSince, now))
      yield* targets.settle(claim, {
        _tag: "Published",
        publication: { platformPostId: "at://did:plc:acme/app.bsky.feed.post/3l", url: null }
      })
      const post = yield* posts.get(workspaceId, id)
      assert.deepInclude(post, {
        status: "published",
        scheduled_at: DateTime.makeUnsafe("1970-01-01T09:00:00.000Z"),
        published_at: now
      })
    })
  )
})
