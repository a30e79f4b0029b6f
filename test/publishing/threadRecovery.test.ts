import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OutcomeUnknown } from "../../src/domain/publishing/platformError.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { plan } from "../support/database/fixtures.ts"
import { claimAsVersionBefore } from "../support/database/versionBefore.ts"
import {
  after,
  part,
  published,
  states,
  type Stored,
  threadInAMinute,
  ThreadScript,
  threadWorld,
  tick
} from "./threadWorld.ts"
import { planPublish } from "../support/plans.ts"

const lease = Duration.minutes(3)
const three = [part("two"), part("three")]
const continued = (id: string) => ({ _tag: "Continued", publication: published(id), next: null }) as const

const targetOf = Effect.fnUntraced(function* ({ id }: Stored) {
  const sql = yield* SqlClient.SqlClient
  const [target] = yield* sql`SELECT part, status, attempts, part_ids FROM post_targets WHERE post_id = ${id}::uuid`
  return target
})

/** Claims the only due target. */
const claimOne = Effect.gen(function* () {
  const { targets } = yield* Repo
  const [claim, ...others] = yield* targets.claim(10, lease)
  if (claim === undefined || others.length > 0) return yield* Effect.die("Not one target was due")
  return claim
})

/** A thread whose first part another process has begun to send. */
const begun = Effect.gen(function* () {
  const { targets } = yield* Repo
  const thread = yield* threadInAMinute("one", three)
  yield* TestClock.adjust("1 minute")
  const claim = yield* claimOne
  yield* targets.beginSend(claim, { text: "one" }, lease)
  return { thread, claim }
})

layer(threadWorld)("Threads that are interrupted", (it) => {
  it.effect("What became of a part is stored once, and never for the part that follows it", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { takeCalls } = yield* ThreadScript
      const { claim, thread } = yield* begun
      yield* targets.settle(claim, continued("1"))
      assert.strictEqual((yield* Effect.flip(targets.settle(claim, continued("1"))))._tag, "ClaimLost")
      const second = yield* claimOne
      assert.deepStrictEqual([second.part, second.parts, second.reply?.parent.platformPostId], [2, 3, "1"])
      assert.strictEqual((yield* Effect.flip(targets.settle(claim, continued("1"))))._tag, "ClaimLost")
      assert.deepInclude(yield* targetOf(thread), { part: 2, status: "publishing", part_ids: ["1"] })
      yield* targets.release(second)
      assert.deepStrictEqual(yield* states(thread), ["publishing", "twitter pending: published pending pending"])
      yield* tick
      yield* after("2 seconds")
      assert.deepStrictEqual(takeCalls(), ["twitter publish two <- 1", "twitter publish three <- twitter-two"])
    })
  )

  it.effect(
    "A part that proves to be out after its thread was given up brings it on, and a person sends the rest",
    () =>
      Effect.gen(function* () {
        const { takeCalls } = yield* ThreadScript
        const { posts, targets } = yield* Repo
        const sql = yield* SqlClient.SqlClient
        const { claim, thread } = yield* begun
        yield* sql`UPDATE post_targets SET status = 'failed', claim_token = NULL, lease_until = NULL, due_at = NULL, due_since = NULL,
        error_code = 'outcome_unknown', error_message = 'Lost', error_retryable = false WHERE post_id = ${thread.id}::uuid`
        yield* sql`UPDATE posts SET status = 'failed' WHERE id = ${thread.id}::uuid`
        yield* targets.settle(claim, continued("1"))
        assert.deepStrictEqual(yield* states(thread), ["failed", "twitter failed: published failed(gave_up) pending"])
        yield* after("1 hour")
        assert.deepStrictEqual(takeCalls(), [])
        yield* posts.publish(thread.workspace, thread.id, planPublish)
        yield* tick
        yield* after("2 seconds")
        assert.deepStrictEqual(takeCalls(), ["twitter publish two <- 1", "twitter publish three <- twitter-two"])
      })
  )

  it.effect("After a restore each part that went out since is found, and none is sent that may be out", () =>
    Effect.gen(function* () {
      const { looks, takeCalls } = yield* ThreadScript
      const sql = yield* SqlClient.SqlClient
      const thread = yield* threadInAMinute("one", three)
      yield* TestClock.adjust("1 minute")
      // As after a restore: the post was due before the restore, so the platform might show it.
      yield* sql`UPDATE post_targets SET reconcile_from = due_since - interval '1 hour', reconcile_until = due_since + interval '1 hour'
        WHERE post_id = ${thread.id}::uuid`
      looks.twitter.push(Effect.succeedSome(published("1")), Effect.succeedSome(published("2")))
      yield* tick
      yield* after("2 seconds")
      yield* after("2 seconds")
      assert.deepStrictEqual(takeCalls(), ["twitter find one", "twitter find two <- 1", "twitter find three <- 2"])
      assert.deepStrictEqual(yield* states(thread), [
        "failed",
        "twitter failed: published published failed(outcome_unknown)"
      ])
    })
  )

  it.effect("After the service was away each part is looked for before it is sent, until one is sent", () =>
    Effect.gen(function* () {
      const { looks, takeCalls } = yield* ThreadScript
      const sql = yield* SqlClient.SqlClient
      const thread = yield* threadInAMinute("one", three)
      yield* TestClock.adjust("1 minute")
      yield* sql`UPDATE post_targets SET reconcile_from = due_since - interval '1 hour' WHERE post_id = ${thread.id}::uuid`
      looks.twitter.push(Effect.succeedSome(published("1")), Effect.succeedNone)
      yield* tick
      yield* after("2 seconds")
      yield* after("2 seconds")
      assert.deepStrictEqual(takeCalls(), [
        "twitter find one",
        "twitter find two <- 1",
        "twitter publish two <- 1",
        "twitter publish three <- twitter-two"
      ])
    })
  )

  it.effect(
    "After a person says that a post is not published, it is looked for since it was sent, and sent if it is not there",
    () =>
      Effect.gen(function* () {
        const { sends, takeCalls } = yield* ThreadScript
        const { posts, targets } = yield* Repo
        const sql = yield* SqlClient.SqlClient
        const thread = yield* threadInAMinute("one", three)
        sends.twitter.push(Effect.fail(new OutcomeUnknown({ message: "Lost", conclusive: true })))
        yield* after("1 minute")
        const sentAt = yield* DateTime.now
        yield* after("10 minutes")
        takeCalls()
        const key = { workspaceId: thread.workspace, postId: thread.id, platform: "twitter" } as const
        yield* targets.resolve(key, { outcome: "not_published" })
        const [target] = yield* sql`SELECT reconcile_from FROM post_targets WHERE post_id = ${thread.id}::uuid`
        assert.deepStrictEqual(target?.["reconcile_from"], DateTime.toDateUtc(sentAt))
        yield* posts.publish(thread.workspace, thread.id, planPublish)
        yield* tick
        yield* after("2 seconds")
        yield* after("2 seconds")
        assert.deepStrictEqual(takeCalls(), [
          "twitter find one",
          "twitter publish one",
          "twitter publish two <- twitter-one",
          "twitter publish three <- twitter-two"
        ])
      })
  )

  it.effect("The version before can't claim a thread, and publishes the account's other posts", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const { takeCalls } = yield* ThreadScript
      const thread = yield* threadInAMinute("one", three)
      const at = DateTime.addDuration(yield* DateTime.now, "1 minute")
      const other = yield* posts.create(thread.workspace, { ...plan(at), content: "alone" })
      yield* TestClock.adjust("1 minute")
      const first = yield* claimAsVersionBefore()
      assert.deepStrictEqual(first, [])
      const second = yield* claimAsVersionBefore()
      assert.deepStrictEqual(
        second.map(({ postId }) => postId),
        [other.id]
      )
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE post_targets SET lease_until = to_timestamp(0) WHERE post_id = ${other.id}::uuid`
      yield* sql`UPDATE post_targets SET due_at = due_since WHERE post_id = ${thread.id}::uuid`
      yield* tick
      for (let pauses = 0; pauses < 3; pauses++) yield* after("2 seconds")
      assert.sameMembers(
        [...takeCalls()],
        [
          "twitter publish alone",
          "twitter publish one",
          "twitter publish two <- twitter-one",
          "twitter publish three <- twitter-two"
        ]
      )
    })
  )

  it.effect("The version before can neither change nor schedule a thread, nor resolve it as a whole", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { posts } = yield* Repo
      const draft = yield* threadInAMinute("one", three, { status: "draft" })
      const refused = (statement: Effect.Effect<unknown, { readonly cause?: unknown }>) =>
        Effect.map(Effect.flip(statement), (error) => JSON.stringify(error).includes("55P03"))
      const { id, workspace } = draft
      assert.isTrue(
        yield* refused(sql`UPDATE posts SET content = 'another', revision = revision + 1 WHERE id = ${id}::uuid`)
      )
      assert.isTrue(yield* refused(sql`UPDATE posts SET status = 'scheduled' WHERE id = ${id}::uuid`))
      yield* sql`UPDATE posts SET tags = '{mine}' WHERE id = ${id}::uuid`
      yield* sql`UPDATE post_targets SET status = 'failed', error_code = 'outcome_unknown', error_message = 'Lost', error_retryable = false
        WHERE post_id = ${id}::uuid`
      assert.isTrue(
        yield* refused(sql`UPDATE post_targets SET status = 'published', published_at = now(), error_code = NULL, error_message = NULL,
          error_retryable = NULL WHERE post_id = ${id}::uuid`)
      )
      yield* posts.remove(workspace, id)
    })
  )
})
