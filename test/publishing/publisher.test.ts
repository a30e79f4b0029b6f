import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NeedsReauthorization, RateLimited, Rejected, Unavailable } from "../../src/domain/publishing/platformError.ts"
import type { PostId, WorkspaceId } from "../../src/domain/ids.ts"
import { attempt } from "../../src/publishing/attempt.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { ahead, lease } from "../../src/publishing/timing.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { sendsLayer } from "./claimed.ts"
import { notYet } from "./threadWorld.ts"
import { ok, Script, scriptedPlatform, unknown } from "./scriptedPlatform.ts"
import { publisherLayer } from "./publisherLayer.ts"
import { planPublish, planUpdate } from "../support/plans.ts"

/** Ticks, and waits for the attempts. Returns the number of claims. */
const publishDue = Effect.gen(function* () {
  const publisher = yield* Publisher
  const claimed = yield* publisher.tick
  yield* publisher.idle
  return claimed
})

const later = (duration: Duration.Input) => Effect.andThen(TestClock.adjust(duration), publishDue)

/** A workspace with one post, due in a minute. */
const dueInAMinute = Effect.fnUntraced(function* (platforms: ReadonlyArray<"twitter" | "bluesky"> = ["twitter"]) {
  const { posts } = yield* Repo
  const workspace = yield* makeWorkspace()
  const at = DateTime.addDuration(yield* DateTime.now, "1 minute")
  const { id } = yield* posts.create(workspace, plan(at, platforms))
  return { workspace, id, at }
})

const statuses = (post: { readonly workspace: WorkspaceId; readonly id: PostId }) =>
  Effect.gen(function* () {
    const found = yield* (yield* Repo).posts.get(post.workspace, post.id)
    return [
      found.status,
      ...found.post_targets.map((target) =>
        target.error === null ? target.status : `${target.status}: ${target.error.code}`
      )
    ]
  })

const notificationTypes = (workspace: WorkspaceId) =>
  Effect.gen(function* () {
    const { data } = yield* (yield* Repo).notifications.page(workspace, 0, 10)
    return data.map((notification) => notification.type)
  })

/** Stops a publisher while a request is in flight, and waits until it has stopped. Returns the post. */
const stopWhileSending = Effect.fnUntraced(function* (response: typeof ok, takes: Duration.Input) {
  const script = yield* Script
  const post = yield* dueInAMinute()
  yield* TestClock.adjust("1 minute")
  yield* script.respond("twitter", response)
  const running = yield* Effect.forkChild(
    Effect.gen(function* () {
      yield* (yield* Publisher).tick
      return yield* Effect.never
    }).pipe(Effect.provide(Layer.fresh(publisherLayer)), Effect.scoped)
  )
  yield* script.nextCall
  const stopping = yield* Effect.forkChild(Fiber.interrupt(running))
  yield* TestClock.adjust(takes)
  yield* Fiber.join(stopping)
  return post
})

const stack = publisherLayer.pipe(Layer.provideMerge(scriptedPlatform), Layer.provideMerge(repoLayer))

layer(stack)("Publisher", (it) => {
  it.effect("A post is published at its time and not before", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* dueInAMinute(["twitter", "bluesky"])
      assert.strictEqual(yield* later("59 seconds"), 0)
      assert.strictEqual(yield* later("1 second"), 2)
      assert.sameDeepMembers(
        [...(yield* script.calls)],
        [
          { platform: "twitter", call: "publish", text: "Hello" },
          { platform: "bluesky", call: "publish", text: "Hello" }
        ]
      )
      const found = yield* (yield* Repo).posts.get(post.workspace, post.id)
      assert.strictEqual(found.status, "published")
      assert.deepStrictEqual(found.published_at, post.at)
      assert.strictEqual(found.post_targets[0]?.platform_post_url, "https://platform.test/1")
      assert.deepStrictEqual(yield* notificationTypes(post.workspace), ["post.published"])
      assert.strictEqual(yield* later("1 hour"), 0)
      assert.deepStrictEqual(yield* script.calls, [])
    })
  )

  it.effect("A rejected target fails at once, and a published one stays published", () =>
    Effect.gen(function* () {
      const script = yield* Script
      yield* script.respond("bluesky", Effect.fail(new Rejected({ message: "No" })))
      const post = yield* dueInAMinute(["twitter", "bluesky"])
      yield* later("1 minute")
      assert.deepStrictEqual(yield* statuses(post), ["failed", "published", "failed: rejected"])
      assert.deepStrictEqual(yield* notificationTypes(post.workspace), ["post.failed"])
      yield* script.calls
      yield* (yield* Repo).posts.publish(post.workspace, post.id, planPublish)
      yield* publishDue
      assert.deepStrictEqual(yield* script.calls, [{ platform: "bluesky", call: "publish", text: "Hello" }])
      assert.deepStrictEqual(yield* statuses(post), ["published", "published", "published"])
    })
  )

  it.effect("A post is claimed shortly before its time, and sent at its time", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const publisher = yield* Publisher
      yield* dueInAMinute()
      assert.strictEqual(yield* later(Duration.subtract(Duration.minutes(1), notYet)), 0)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* publisher.tick, 1)
      yield* TestClock.adjust(Duration.subtract(ahead.within, Duration.millis(1)))
      assert.deepStrictEqual(yield* script.calls, [])
      yield* TestClock.adjust("1 millis")
      yield* publisher.idle
      assert.lengthOf(yield* script.calls, 1)
    })
  )

  it.effect("A rate-limited target waits until the time that the platform gave", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* dueInAMinute()
      const until = DateTime.addDuration(post.at, "15 minutes")
      yield* script.respond("twitter", Effect.fail(new RateLimited({ message: "Slow down", until })))
      yield* later("1 minute")
      assert.deepStrictEqual(yield* statuses(post), ["publishing", "pending: rate_limited"])
      assert.strictEqual(yield* later(Duration.subtract(Duration.minutes(15), notYet)), 0)
      assert.strictEqual(yield* later(notYet), 1)
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      yield* script.calls
    })
  )

  it.effect(
    "A target on an unavailable platform is attempted twelve times with growing delays, and then given up",
    () =>
      Effect.gen(function* () {
        const script = yield* Script
        const unavailable = Effect.fail(new Unavailable({ message: "503" }))
        yield* script.respond("twitter", ...Array.from({ length: 12 }, () => unavailable))
        const post = yield* dueInAMinute()
        yield* later("1 minute")
        for (let attempts = 1; attempts < 12; attempts++) yield* later("18 minutes")
        assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: gave_up"])
        assert.strictEqual((yield* script.calls).length, 12)
        assert.strictEqual(yield* later("1 hour"), 0)
      })
  )

  it.effect("A target with an unknown outcome is reconciled and never sent again", () =>
    Effect.gen(function* () {
      const script = yield* Script
      yield* script.respond("twitter", unknown, unknown, ok)
      const post = yield* dueInAMinute()
      yield* later("1 minute")
      assert.deepStrictEqual(yield* statuses(post), ["publishing", "pending: outcome_unknown"])
      yield* later("15 seconds")
      yield* later("1 minute")
      assert.deepStrictEqual(
        (yield* script.calls).map(({ call }) => call),
        ["publish", "reconcile", "reconcile"]
      )
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
    })
  )

  it.effect("An outcome that stays unknown fails the target; publishing it again looks once more before it sends", () =>
    Effect.gen(function* () {
      const script = yield* Script
      yield* script.respond("twitter", unknown, unknown, unknown, unknown, ok)
      const post = yield* dueInAMinute()
      yield* later("1 minute")
      for (let attempts = 1; attempts <= 3; attempts++) yield* later("5 minutes")
      assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: outcome_unknown"])
      const { data: told } = yield* (yield* Repo).notifications.page(post.workspace, 0, 10)
      assert.deepStrictEqual(
        told.map(({ message, type }) => [type, message.slice(0, message.indexOf(":"))]),
        [["post.failed", "“Hello” – team_twitter on X"]]
      )
      assert.strictEqual(yield* later("1 day"), 0)
      assert.deepStrictEqual(
        (yield* script.calls).map(({ call }) => call),
        ["publish", "reconcile", "reconcile", "reconcile"]
      )
      const { posts } = yield* Repo
      yield* posts.publish(post.workspace, post.id, planPublish)
      const refused = yield* Effect.flip(
        posts.update(post.workspace, post.id, (stored) => planUpdate(stored, { content: "Other" }, post.at))
      )
      assert.strictEqual(refused._tag, "InvalidState")
      yield* publishDue
      assert.deepStrictEqual(
        (yield* script.calls).map(({ call }) => call),
        ["find", "publish"]
      )
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
    })
  )

  it.effect.each([
    ["sends it once if a look finds nothing of what came after the answer", [], ["find", "publish"]],
    ["sends nothing if a look finds the post after all", [Effect.asSome(ok)], ["find"]]
  ] as const)("After a person found an unknown outcome not to be published, publishing again %s", ([, found, calls]) =>
    Effect.gen(function* () {
      const script = yield* Script
      yield* script.respond("twitter", unknown, unknown, unknown, unknown)
      yield* script.find("twitter", ...found)
      const post = yield* dueInAMinute()
      yield* later("1 minute")
      for (let attempts = 1; attempts <= 3; attempts++) yield* later("5 minutes")
      yield* script.calls
      const { posts, targets } = yield* Repo
      const target = { workspaceId: post.workspace, postId: post.id, platform: "twitter" } as const
      yield* targets.resolve(target, { outcome: "not_published" })
      assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: gave_up"])
      assert.strictEqual(yield* later("1 day"), 0)
      yield* posts.publish(post.workspace, post.id, planPublish)
      yield* publishDue
      assert.deepStrictEqual(
        (yield* script.calls).map(({ call }) => call),
        [...calls]
      )
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
    })
  )

  it.effect("A post that is claimed more than a day late is not sent", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* dueInAMinute()
      yield* later("1450 minutes")
      assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: missed"])
      assert.deepStrictEqual(yield* script.calls, [])
    })
  )

  it.effect("A post that is published again, but claimed more than a day late, is reconciled and not sent", () =>
    Effect.gen(function* () {
      const script = yield* Script
      yield* script.respond("twitter", unknown, unknown, unknown, unknown, unknown)
      const post = yield* dueInAMinute()
      yield* later("1 minute")
      for (let attempts = 1; attempts <= 3; attempts++) yield* later("5 minutes")
      yield* script.calls
      yield* (yield* Repo).posts.publish(post.workspace, post.id, planPublish)
      yield* later("1450 minutes")
      assert.deepStrictEqual(
        (yield* script.calls).map(({ call }) => call),
        ["reconcile"]
      )
      assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: outcome_unknown"])
    })
  )

  it.effect("Refused credentials fail all due targets, and the account's disconnection is notified once", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts, integrations } = yield* Repo
      yield* script.respond("twitter", Effect.fail(new NeedsReauthorization({ message: "Revoked" })))
      const post = yield* dueInAMinute()
      const second = yield* posts.create(post.workspace, plan(DateTime.addDuration(post.at, "1 minute")))
      yield* later("1 minute")
      yield* later("1 minute")
      assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: needs_reconnect"])
      assert.deepStrictEqual(yield* statuses({ ...post, id: second.id }), ["failed", "failed: needs_reconnect"])
      // The second failure only increases the count in the first failure's notification.
      assert.deepStrictEqual(yield* notificationTypes(post.workspace), ["integration.disconnected", "post.failed"])
      const { data } = yield* (yield* Repo).notifications.page(post.workspace, 0, 10)
      assert.deepInclude(
        data.find(({ type }) => type === "post.failed"),
        { title: "2 posts were not published on X", action_url: "/accounts" }
      )
      assert.strictEqual((yield* script.calls).length, 1)
      assert.deepStrictEqual(
        (yield* integrations.list(post.workspace)).map(({ status }) => status),
        ["connected", "needs_reconnect"]
      )
    })
  )

  it.effect("A post in flight whose account is disconnected is not sent again, and is looked for once it is back", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const publisher = yield* Publisher
      const { integrations, posts } = yield* Repo
      const responds = yield* Deferred.make<void>()
      const post = yield* dueInAMinute()
      yield* script.respond("twitter", Effect.andThen(Deferred.await(responds), unknown))
      yield* TestClock.adjust("1 minute")
      yield* publisher.tick
      assert.strictEqual((yield* script.nextCall).call, "publish")
      const account = (yield* integrations.list(post.workspace)).find(({ platform }) => platform === "twitter")
      if (account === undefined) return assert.fail("X is not connected")
      yield* integrations.disconnect(account.id, post.workspace)
      yield* Deferred.succeed(responds, undefined)
      yield* publisher.idle
      yield* later("1 hour")
      assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: needs_reconnect"])
      const [target] = (yield* posts.get(post.workspace, post.id)).post_targets
      assert.include(target?.error?.message, "it may have been published already")
      assert.deepStrictEqual(yield* notificationTypes(post.workspace), ["post.failed"])
      assert.deepStrictEqual(yield* script.calls, [])
      yield* integrations.connect(post.workspace, {
        platform: "twitter",
        accountId: account.account_id,
        username: account.username,
        displayName: null,
        avatarUrl: null,
        serviceUrl: null,
        credentials: Redacted.make("credentials")
      })
      yield* script.find("twitter", Effect.asSome(ok))
      yield* posts.publish(post.workspace, post.id, planPublish)
      yield* publishDue
      assert.deepStrictEqual(yield* script.calls, [{ platform: "twitter", call: "find", text: "Hello" }])
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
    })
  )

  it.effect(
    "A post of another account than the connected one fails without a call, and the account stays connected",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const script = yield* Script
        const post = yield* dueInAMinute()
        yield* sql`UPDATE post_targets SET account_id = 'another' WHERE post_id = ${post.id}::uuid AND platform = 'twitter'`
        yield* script.calls
        yield* later("1 minute")
        assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: needs_reconnect"])
        assert.deepStrictEqual(yield* script.calls, [])
        const { integrations } = yield* Repo
        assert.deepStrictEqual(
          (yield* integrations.list(post.workspace)).map(({ status }) => status),
          ["connected", "connected"]
        )
      })
  )

  it.effect.each([
    ["missed if the service was away", null, "missed"],
    ["left to a person if the database was restored", "1 hour", "outcome_unknown"]
  ] as const)(
    "A post more than a day late that an unknown process may have sent is looked for, and %s",
    ([, until, code]) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const script = yield* Script
        const post = yield* dueInAMinute()
        yield* sql`UPDATE post_targets SET reconcile_from = due_at, reconcile_until = due_at + ${until}::interval
          WHERE post_id = ${post.id}::uuid`
        yield* script.calls
        yield* later("1450 minutes")
        assert.deepStrictEqual(
          (yield* script.calls).map(({ call }) => call),
          ["find"]
        )
        assert.deepStrictEqual(yield* statuses(post), ["failed", `failed: ${code}`])
      })
  )

  it.effect("One account's posts are published one after the other, the earliest first", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts } = yield* Repo
      const workspace = yield* makeWorkspace()
      const now = yield* DateTime.now
      yield* posts.create(workspace, { ...plan(DateTime.addDuration(now, "2 seconds")), content: "second" })
      yield* posts.create(workspace, { ...plan(DateTime.addDuration(now, "1 second")), content: "first" })
      assert.strictEqual(yield* later("2 seconds"), 1)
      assert.strictEqual(yield* publishDue, 1)
      assert.deepStrictEqual(
        (yield* script.calls).map(({ text }) => text),
        ["first", "second"]
      )
    })
  )

  it.effect("A claim whose process died is taken over when its lease expires, and reconciled before it is sent", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { targets } = yield* Repo
      const post = yield* dueInAMinute()
      yield* TestClock.adjust("1 minute")
      const [claim] = yield* targets.claim(1, lease)
      assert.isDefined(claim)
      if (claim === undefined) return
      yield* script.respond("twitter", ok)
      yield* Effect.provide(attempt(claim), sendsLayer)
      // The process dies here, before it settles.
      assert.strictEqual(yield* later("2 minutes"), 0)
      assert.strictEqual(yield* later("1 minute"), 1)
      assert.deepStrictEqual(
        (yield* script.calls).map(({ call }) => call),
        ["publish", "reconcile"]
      )
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      const late = yield* Effect.flip(
        targets.settle(claim, {
          _tag: "Failed",
          error: { code: "rejected", message: "", retryable: false }
        })
      )
      assert.strictEqual(late._tag, "ClaimLost")
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
    })
  )

  it.effect("A deleted or rescheduled post is not sent at its old time", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts } = yield* Repo
      const deleted = yield* dueInAMinute()
      const moved = yield* dueInAMinute()
      const drafted = yield* dueInAMinute()
      yield* posts.remove(deleted.workspace, deleted.id)
      yield* posts.update(moved.workspace, moved.id, (stored) =>
        planUpdate(stored, { scheduled_at: DateTime.addDuration(moved.at, "1 hour") }, moved.at)
      )
      yield* posts.update(drafted.workspace, drafted.id, (stored) =>
        planUpdate(stored, { status: "draft" }, drafted.at)
      )
      assert.strictEqual(yield* later("1 minute"), 0)
      assert.strictEqual(yield* later("1 hour"), 1)
      assert.strictEqual((yield* script.calls).length, 1)
      assert.deepStrictEqual(yield* statuses(drafted), ["draft", "pending"])
    })
  )

  it.effect("A publisher that stops waits a few seconds for a send in flight to finish", () =>
    Effect.gen(function* () {
      const post = yield* stopWhileSending(Effect.delay(ok, "5 seconds"), "5 seconds")
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
    })
  )

  it.effect("A publisher that stops records an unknown outcome for a send that does not finish", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* stopWhileSending(Effect.never, "8 seconds")
      assert.deepStrictEqual(yield* statuses(post), ["publishing", "pending: outcome_unknown"])
      assert.strictEqual(yield* later("15 seconds"), 1)
      assert.deepStrictEqual(
        (yield* script.calls).map(({ call }) => call),
        ["reconcile"]
      )
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
    })
  )
})
