import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { planCopy } from "../../src/domain/posts/copyPlan.ts"
import { OutcomeUnknown, Rejected, TooEarly, Unavailable } from "../../src/domain/publishing/platformError.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeEditor, plan } from "../support/database/fixtures.ts"
import {
  after,
  notYet,
  part,
  published,
  states,
  threadInAMinute,
  ThreadScript,
  threadWorld,
  tick
} from "./threadWorld.ts"
import { planPublish, planUpdate } from "../support/plans.ts"

const three = [part("two"), part("three")]

layer(threadWorld)("Threads", (it) => {
  it.effect(
    "The parts of a thread go out in order, each as a reply to the one before, and the thread ends with the last",
    () =>
      Effect.gen(function* () {
        const { takeCalls } = yield* ThreadScript
        const { posts } = yield* Repo
        const thread = yield* threadInAMinute("one", three, {
          platforms: ["bluesky"],
          settings: { twitter: { who_can_reply: "following" } }
        })
        yield* after("1 minute")
        assert.deepStrictEqual(yield* states(thread), ["publishing", "bluesky pending: published pending pending"])
        yield* tick
        yield* tick
        assert.deepStrictEqual(takeCalls(), [
          "bluesky publish one with settings",
          "bluesky publish two <- bluesky-one",
          "bluesky publish three <- bluesky-two"
        ])
        assert.deepStrictEqual(yield* states(thread), ["published", "bluesky published: published published published"])
        const { post_targets } = yield* posts.get(thread.workspace, thread.id)
        const [target] = post_targets
        assert.strictEqual(target?.platform_post_url, "https://platform.test/bluesky-one")
        assert.deepStrictEqual(
          target?.parts?.map(({ platform_post_url }) => platform_post_url),
          ["one", "two", "three"].map((text) => `https://platform.test/bluesky-${text}`)
        )
        assert.deepStrictEqual(target?.published_at, target?.parts?.[2]?.published_at)
      })
  )

  it.effect("On X the next part waits two seconds for the one before to be visible", () =>
    Effect.gen(function* () {
      const { takeCalls } = yield* ThreadScript
      const thread = yield* threadInAMinute("one", three)
      yield* after("1 minute", 3)
      assert.deepStrictEqual(takeCalls(), ["twitter publish one"])
      yield* after(Duration.subtract(Duration.seconds(2), notYet))
      assert.deepStrictEqual(takeCalls(), [])
      yield* after(notYet)
      assert.deepStrictEqual(takeCalls(), ["twitter publish two <- twitter-one"])
      yield* after("2 seconds")
      assert.deepStrictEqual(takeCalls(), ["twitter publish three <- twitter-two"])
      assert.deepStrictEqual(yield* states(thread), ["published", "twitter published: published published published"])
    })
  )

  it.effect("A platform gets the parts that are meant for it, with its own texts", () =>
    Effect.gen(function* () {
      const { takeCalls } = yield* ThreadScript
      const thread = yield* threadInAMinute(
        "one",
        [
          part("two", { platforms: ["twitter"] }),
          part("three", { platform_overrides: { bluesky: "three there" } }),
          part("four", { platforms: ["bluesky"] })
        ],
        { platforms: ["twitter", "bluesky"] }
      )
      yield* after("1 minute", 3)
      yield* after("2 seconds")
      yield* after("2 seconds")
      assert.sameMembers(
        [...takeCalls()],
        [
          "twitter publish one",
          "twitter publish two <- twitter-one",
          "twitter publish three <- twitter-two",
          "bluesky publish one",
          "bluesky publish three there <- bluesky-one",
          "bluesky publish four <- bluesky-three there"
        ]
      )
      assert.deepStrictEqual(yield* states(thread), [
        "published",
        "twitter published: published published published",
        "bluesky published: published published published"
      ])
    })
  )

  it.effect("The history tells each part with its address, and webhooks are told of the thread's end alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { takeCalls } = yield* ThreadScript
      const thread = yield* threadInAMinute("one", three, { platforms: ["bluesky"] })
      yield* after("1 minute", 3)
      takeCalls()
      const told =
        yield* sql`SELECT type, audience, data ->> 'part' AS part, data ->> 'url' AS url, details ->> 'account' AS account
        FROM events WHERE post_id = ${thread.id}::uuid AND type LIKE 'post.target.%' ORDER BY id`
      const onBluesky = { account: "team_bluesky" }
      const partPublished = { type: "post.target.part_published", audience: "history", ...onBluesky }
      assert.deepStrictEqual(told, [
        { ...partPublished, part: "1", url: "https://platform.test/bluesky-one" },
        { ...partPublished, part: "2", url: "https://platform.test/bluesky-two" },
        {
          type: "post.target.published",
          audience: "webhooks",
          part: null,
          url: "https://platform.test/bluesky-one",
          ...onBluesky
        }
      ])
    })
  )

  it.effect("A part that is refused keeps the rest from going out, and publishing again begins with it", () =>
    Effect.gen(function* () {
      const { sends, takeCalls } = yield* ThreadScript
      const { notifications, posts } = yield* Repo
      const thread = yield* threadInAMinute("one", three, { platforms: ["bluesky"] })
      sends.bluesky.push(
        Effect.succeed(published("1")),
        Effect.fail(new Rejected({ message: "Bluesky refused the text" }))
      )
      yield* after("1 minute", 4)
      assert.deepStrictEqual(takeCalls(), ["bluesky publish one", "bluesky publish two <- 1"])
      assert.deepStrictEqual(yield* states(thread), ["failed", "bluesky failed: published failed(rejected) pending"])
      const failed = yield* posts.get(thread.workspace, thread.id)
      assert.strictEqual(failed.post_targets[0]?.error?.message, "Part 2 of 3: Bluesky refused the text")
      assert.isNull(failed.post_targets[0]?.platform_post_url ?? null)
      const { data } = yield* notifications.page(thread.workspace, 0, 10)
      assert.include(data[0]?.message, "Part 2 of 3")
      yield* posts.publish(thread.workspace, thread.id, planPublish)
      yield* after("0 seconds", 2)
      assert.deepStrictEqual(takeCalls(), ["bluesky publish two <- 1", "bluesky publish three <- bluesky-two"])
      assert.deepStrictEqual(yield* states(thread), ["published", "bluesky published: published published published"])
    })
  )

  it.effect("A post whose beginning is out is not scheduled again by a release, and its parts can't be changed", () =>
    Effect.gen(function* () {
      const { sends, takeCalls } = yield* ThreadScript
      const { posts } = yield* Repo
      const thread = yield* threadInAMinute("one", three, { platforms: ["bluesky"] })
      sends.bluesky.push(Effect.succeed(published("1")), Effect.fail(new Rejected({ message: "No" })))
      yield* after("1 minute", 2)
      yield* posts.publish(thread.workspace, thread.id, planPublish)
      const now = (yield* posts.get(thread.workspace, thread.id)).created_at
      const change = (patch: Parameters<typeof planUpdate>[1]) =>
        Effect.flip(
          posts.update(thread.workspace, thread.id, (stored, library) => planUpdate(stored, patch, now, library))
        )
      assert.strictEqual((yield* change({ content: "another" }))._tag, "InvalidState")
      assert.strictEqual((yield* change({ thread: [{ content: "another" }] }))._tag, "InvalidState")
      assert.strictEqual((yield* change({ platforms: ["twitter"] }))._tag, "InvalidState")
      yield* after("0 seconds", 2)
      assert.deepStrictEqual(yield* states(thread), ["published", "bluesky published: published published published"])
      takeCalls()
    })
  )

  it.effect("A part whose outcome is unknown is looked for, and what follows waits until it was found", () =>
    Effect.gen(function* () {
      const { sends, takeCalls } = yield* ThreadScript
      const thread = yield* threadInAMinute("one", three, { platforms: ["bluesky"] })
      sends.bluesky.push(
        Effect.succeed(published("1")),
        Effect.fail(new OutcomeUnknown({ message: "The connection was lost" }))
      )
      yield* after("1 minute", 4)
      assert.deepStrictEqual(takeCalls(), ["bluesky publish one", "bluesky publish two <- 1"])
      yield* after("15 seconds", 3)
      assert.deepStrictEqual(takeCalls(), ["bluesky reconcile two <- 1", "bluesky publish three <- bluesky-two"])
      assert.deepStrictEqual(yield* states(thread), ["published", "bluesky published: published published published"])
    })
  )

  it.effect("A reply that comes too early is sent again after five seconds, and then after ten", () =>
    Effect.gen(function* () {
      const { sends, takeCalls } = yield* ThreadScript
      const thread = yield* threadInAMinute("one", [part("two")])
      const tooEarly = Effect.fail(new TooEarly({ message: "X does not show the part before yet" }))
      sends.twitter.push(Effect.succeed(published("1")), tooEarly, tooEarly)
      yield* after("1 minute")
      yield* after("2 seconds")
      yield* after(Duration.subtract(Duration.seconds(5), notYet))
      assert.deepStrictEqual(takeCalls(), ["twitter publish one", "twitter publish two <- 1"])
      yield* after(notYet)
      yield* after(Duration.subtract(Duration.seconds(10), notYet))
      assert.deepStrictEqual(takeCalls(), ["twitter publish two <- 1"])
      assert.deepStrictEqual(yield* states(thread), ["publishing", "twitter pending: published pending(unavailable)"])
      yield* after(notYet)
      assert.deepStrictEqual(yield* states(thread), ["published", "twitter published: published published"])
      takeCalls()
    })
  )

  it.effect("Each part has attempts and a day of its own", () =>
    Effect.gen(function* () {
      const { sends, takeCalls } = yield* ThreadScript
      const thread = yield* threadInAMinute("one", [part("two")], { platforms: ["bluesky"] })
      const down = Effect.fail(new Unavailable({ message: "Down" }))
      sends.bluesky.push(...Array.from({ length: 11 }, () => down), Effect.succeed(published("1")))
      sends.bluesky.push(...Array.from({ length: 11 }, () => down))
      yield* after("1 minute")
      for (let tries = 0; tries < 24; tries++) yield* after("20 minutes")
      assert.deepStrictEqual(yield* states(thread), ["published", "bluesky published: published published"])
      takeCalls()
    })
  )

  it.effect("What is missing of a thread is copied as a draft that continues it, from the part on that failed", () =>
    Effect.gen(function* () {
      const { sends, takeCalls } = yield* ThreadScript
      const { posts } = yield* Repo
      const thread = yield* threadInAMinute("one", three, { platforms: ["bluesky"] })
      sends.bluesky.push(Effect.succeed(published("1")), Effect.fail(new Rejected({ message: "No" })))
      yield* after("1 minute", 2)
      const by = yield* makeEditor(thread.workspace)
      const { post: copy } = yield* posts.copy(
        thread.workspace,
        thread.id,
        (post, library) => planCopy(post, { what: "missing" }, library),
        by
      )
      assert.deepStrictEqual(
        [copy.content, copy.thread.map(({ content }) => content), copy.reply_to, copy.status],
        ["two", ["three"], thread.id, "draft"]
      )
      takeCalls()
      yield* posts.publish(thread.workspace, copy.id, planPublish)
      yield* after("0 seconds", 2)
      assert.deepStrictEqual(takeCalls(), ["bluesky publish two <- 1", "bluesky publish three <- bluesky-two"])
    })
  )

  it.effect("A person who found the unknown part names its URL, and the rest is sent once they say so", () =>
    Effect.gen(function* () {
      const { sends, takeCalls } = yield* ThreadScript
      const { posts, targets } = yield* Repo
      const thread = yield* threadInAMinute("one", three)
      const unknown = Effect.fail(new OutcomeUnknown({ message: "Lost", conclusive: true }))
      sends.twitter.push(Effect.succeed(published("3234567890123456781")), unknown)
      yield* after("1 minute")
      yield* after("2 seconds")
      assert.deepStrictEqual(yield* states(thread), [
        "failed",
        "twitter failed: published failed(outcome_unknown) pending"
      ])
      const key = { workspaceId: thread.workspace, postId: thread.id, platform: "twitter" } as const
      const nameless = targets.resolve(key, { outcome: "published", post: null, continues: true })
      assert.strictEqual((yield* Effect.flip(nameless))._tag, "InvalidRequest")
      const first = {
        url: "https://x.com/team/status/3234567890123456781",
        key: "3234567890123456781",
        site: "https://x.com"
      }
      // A part can't be resolved as the previous part, or as an older post.
      for (const id of [first.key, "3234567890123456780"]) {
        const other = { ...first, url: `https://x.com/team/status/${id}`, key: id }
        const named = targets.resolve(key, { outcome: "published", post: other, continues: true })
        assert.strictEqual((yield* Effect.flip(named))._tag, "InvalidRequest")
      }
      const post = {
        url: "https://x.com/team/status/3234567890123456782",
        key: "3234567890123456782",
        site: "https://x.com"
      }
      yield* targets.resolve(key, { outcome: "published", post, continues: false })
      assert.deepStrictEqual(yield* states(thread), ["failed", "twitter failed: published published failed(gave_up)"])
      takeCalls()
      yield* after("1 minute")
      assert.deepStrictEqual(takeCalls(), [])
      yield* posts.publish(thread.workspace, thread.id, planPublish)
      yield* tick
      assert.deepStrictEqual(takeCalls(), ["twitter publish three <- 3234567890123456782"])
      assert.deepStrictEqual(yield* states(thread), ["published", "twitter published: published published published"])
    })
  )

  it.effect("Another post's look does not take a part of a thread for its own, nor after the thread was deleted", () =>
    Effect.gen(function* () {
      const { posts, targets } = yield* Repo
      const { takeCalls } = yield* ThreadScript
      const thread = yield* threadInAMinute("one", three)
      yield* after("1 minute")
      yield* after("2 seconds")
      yield* after("2 seconds")
      const { scheduled_at } = yield* posts.get(thread.workspace, thread.id)
      const { id } = yield* posts.create(thread.workspace, { ...plan(scheduled_at), content: "two" })
      const [claim] = yield* targets.claim(1, Duration.minutes(3))
      assert.strictEqual(claim?.postId, id)
      if (claim === undefined) return
      const ids = ["twitter-one", "twitter-two", "twitter-three", "twitter-else"]
      const owned = ["twitter-one", "twitter-two", "twitter-three"]
      assert.sameMembers([...(yield* targets.publishedByOthers(claim, ids))], owned)
      yield* posts.remove(thread.workspace, thread.id)
      assert.sameMembers([...(yield* targets.publishedByOthers(claim, ids))], owned)
      yield* targets.release(claim)
      yield* tick
      takeCalls()
    })
  )
})
