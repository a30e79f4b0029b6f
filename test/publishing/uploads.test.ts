import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Exit, Layer, Option } from "effect"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  ApplicationRefused,
  NeedsReauthorization,
  OutcomeUnknown,
  RateLimited,
  Rejected,
  Unavailable,
  UploadsGone
} from "../../src/domain/publishing/platformError.ts"
import { Processing } from "../../src/platforms/PlatformClient.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { Uploader } from "../../src/publishing/Uploader.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { plan } from "../support/database/fixtures.ts"
import { claimAsVersionBefore, scheduleAsVersionBefore } from "../support/database/versionBefore.ts"
import { after, inAnHour, notificationTypes, Script, statuses, tick, uploadRows, uploadWorld } from "./uploadWorld.ts"
import { publisherLayer } from "./publisherLayer.ts"
import { planPublish, planUpdate } from "../support/plans.ts"

/** Runs an effect while no lease can be renewed, because a late renewal would restore the lease. */
const withoutRenewals = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(Effect.andThen(sql`LOCK TABLE processes`, effect)))

layer(uploadWorld)("Uploads", (it) => {
  it.effect("Files are uploaded from 30 minutes before the post's time, and the post is sent at its time", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* inAnHour(["twitter", "bluesky"])
      assert.deepStrictEqual(yield* after("1799 seconds"), [0, 0])
      assert.deepStrictEqual(yield* after("1 second"), [2, 0])
      assert.sameMembers([...(yield* script.calls)], ["upload twitter", "upload bluesky"])
      assert.deepStrictEqual(yield* statuses(post), ["scheduled", "pending", "pending"])
      assert.deepStrictEqual(yield* uploadRows(post), ["ready", "ready"])
      assert.deepStrictEqual(yield* after("1799 seconds"), [0, 0])
      assert.deepStrictEqual(yield* after("1 second"), [0, 2])
      const sent = yield* script.nextCall
      assert.strictEqual(sent.what, JSON.stringify({ text: "Hello", files: "image/png A cat" }))
      assert.deepStrictEqual(yield* statuses(post), ["published", "published", "published"])
      yield* script.calls
    })
  )

  it.effect("A post that is published now is uploaded at once, and its publisher is woken", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts } = yield* Repo
      const post = yield* inAnHour()
      yield* posts.publish(post.workspace, post.id, planPublish)
      assert.deepStrictEqual(yield* tick, [1, 1])
      assert.deepStrictEqual(yield* script.calls, ["upload twitter", "publish twitter"])
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
    })
  )

  it.effect(
    "An upload that fails is repeated, and delays neither the account's other posts nor itself beyond that",
    () =>
      Effect.gen(function* () {
        const script = yield* Script
        const { posts } = yield* Repo
        const post = yield* inAnHour()
        const text = yield* posts.create(post.workspace, plan(DateTime.addDuration(post.at, "1 minute")))
        script.uploads.push(...Array.from({ length: 8 }, () => Effect.fail(new Unavailable({ message: "Down" }))))
        yield* after("30 minutes")
        yield* after("31 minutes")
        assert.deepStrictEqual(yield* statuses({ ...post, id: text.id }), ["published", "published"])
        assert.deepStrictEqual(yield* statuses(post), ["scheduled", "pending: unavailable"])
        for (let tries = 0; tries < 8; tries++) yield* after("20 minutes")
        assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
        yield* script.calls
      })
  )

  it.effect("Files that can't be uploaded within 24 hours of the post's time fail its target alone", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* inAnHour()
      script.uploads.push(...Array.from({ length: 200 }, () => Effect.fail(new Unavailable({ message: "Down" }))))
      yield* TestClock.adjust("1 hour")
      for (let hours = 0; hours <= 25; hours++) yield* after("1 hour")
      assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: gave_up"])
      assert.deepStrictEqual(yield* notificationTypes(post.workspace), ["post.failed"])
      script.uploads.length = 0
      const { posts } = yield* Repo
      yield* posts.publish(post.workspace, post.id, planPublish)
      assert.deepStrictEqual(yield* tick, [1, 1])
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      yield* script.calls
    })
  )

  it.effect("Files that the platform refuses fail the target at its time, with the platform's reason", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* inAnHour(["twitter", "bluesky"])
      script.uploads.push(Effect.fail(new Rejected({ message: "Not this one" })))
      yield* after("30 minutes")
      assert.deepStrictEqual(yield* statuses(post), ["scheduled", "pending", "pending"])
      yield* after("30 minutes")
      const { post_targets } = yield* (yield* Repo).posts.get(post.workspace, post.id)
      assert.sameMembers(
        post_targets.map(({ error }) => error?.message ?? "published"),
        ["Not this one", "published"]
      )
      yield* script.calls
    })
  )

  it.effect("Refused access is told at once, and the files are uploaded once the account is connected again", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { integrations } = yield* Repo
      const post = yield* inAnHour()
      script.uploads.push(Effect.fail(new NeedsReauthorization({ message: "Connect it again" })))
      yield* after("30 minutes")
      assert.deepStrictEqual(yield* notificationTypes(post.workspace), ["integration.disconnected"])
      const connected = (yield* integrations.list(post.workspace)).find(({ platform }) => platform === "twitter")
      assert.strictEqual(connected?.status, "needs_reconnect")
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE integrations SET status = 'connected' WHERE workspace_id = ${post.workspace}::uuid`
      yield* after("30 minutes")
      yield* tick
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      assert.deepStrictEqual(yield* script.calls, ["upload twitter", "upload twitter", "publish twitter"])
    })
  )

  it.effect("An upload that X refuses the application for is counted for the operator, and tried again", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const refusals = Effect.map(PrometheusMetrics.format(), (page) =>
        Number(/^publish_application_refusals_total\{.*reason="credits".*\} (\d+)/m.exec(page)?.[1] ?? 0)
      )
      const before = yield* refusals
      const post = yield* inAnHour()
      script.uploads.push(Effect.fail(new ApplicationRefused({ message: "No credits", reason: "credits" })))
      yield* after("30 minutes")
      assert.strictEqual((yield* refusals) - before, 1)
      yield* after("30 minutes")
      yield* tick
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      assert.deepStrictEqual(yield* script.calls, ["upload twitter", "upload twitter", "publish twitter"])
    })
  )

  it.effect("A changed post is uploaded again, with its other alternative text", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts } = yield* Repo
      const post = yield* inAnHour()
      yield* after("30 minutes")
      assert.strictEqual((yield* script.nextCall).what, "image/png A cat")
      const now = yield* DateTime.now
      const media = [{ id: post.file.id, alt: "A dog" }]
      const changed = yield* posts.update(
        post.workspace,
        post.id,
        (stored, library) => planUpdate(stored, { media }, now, library),
        { filesAfter: () => [post.file.id] }
      )
      assert.deepStrictEqual([changed.revision, changed.media[0]?.alt], [2, "A dog"])
      assert.deepStrictEqual(yield* tick, [1, 0])
      assert.strictEqual((yield* script.nextCall).what, "image/png A dog")
      yield* after("30 minutes")
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      yield* script.calls
    })
  )

  it.effect("Another text or time keeps the files that are uploaded", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts } = yield* Repo
      const post = yield* inAnHour()
      yield* after("30 minutes")
      assert.deepStrictEqual(yield* script.calls, ["upload twitter"])
      const now = yield* DateTime.now
      const soon = DateTime.addDuration(now, "10 minutes")
      for (const patch of [{ content: "Hello again" }, { scheduled_at: soon }, { content: "At last" }]) {
        yield* posts.update(post.workspace, post.id, (stored, library) => planUpdate(stored, patch, now, library))
        assert.deepStrictEqual(yield* tick, [0, 0])
        assert.deepStrictEqual(yield* uploadRows(post), ["ready"])
      }
      assert.deepStrictEqual(yield* after("10 minutes"), [0, 1])
      assert.strictEqual((yield* script.nextCall).what, JSON.stringify({ text: "At last", files: "image/png A cat" }))
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
    })
  )

  it.effect(
    "Another text keeps an upload that runs, that waits for the platform, and that waits for its next attempt",
    () =>
      Effect.gen(function* () {
        const script = yield* Script
        const { posts } = yield* Repo
        const uploader = yield* Uploader
        const post = yield* inAnHour()
        const change = (content: string) =>
          Effect.flatMap(DateTime.now, (now) =>
            posts.update(post.workspace, post.id, (stored, library) => planUpdate(stored, { content }, now, library))
          )
        const limited = DateTime.addDuration(post.at, "2 hours")
        const isDone = yield* Deferred.make<void>()
        script.uploads.push(
          Effect.as(Deferred.await(isDone), Processing({ begun: "job 1", askAfter: Duration.minutes(5) })),
          Effect.fail(new RateLimited({ message: "Enough for today", until: limited }))
        )
        yield* TestClock.adjust("30 minutes")
        assert.strictEqual(yield* uploader.tick, 1)
        yield* change("While it runs")
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* uploadRows(post), ["uploading"])
        yield* Deferred.succeed(isDone, undefined)
        yield* uploader.idle
        yield* change("While the platform processes it")
        assert.deepStrictEqual(yield* tick, [0, 0])
        yield* after("5 minutes")
        // A failure that makes the post late is shown at once.
        assert.deepStrictEqual(yield* statuses(post), ["scheduled", "pending: rate_limited"])
        yield* change("While it waits for the limit")
        assert.deepStrictEqual(yield* tick, [0, 0])
        assert.deepStrictEqual(yield* statuses(post), ["scheduled", "pending: rate_limited"])
        yield* after("145 minutes")
        assert.deepStrictEqual(yield* script.calls, ["upload twitter", "ask twitter", "ask twitter", "publish twitter"])
        assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      })
  )

  it.effect("A post that is moved far ahead uploads its files again, because platforms forget them", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts } = yield* Repo
      const post = yield* inAnHour()
      yield* after("30 minutes")
      const now = yield* DateTime.now
      const tomorrow = DateTime.addDuration(now, "1 day")
      yield* posts.update(post.workspace, post.id, (stored, library) =>
        planUpdate(stored, { scheduled_at: tomorrow }, now, library)
      )
      assert.deepStrictEqual(yield* tick, [0, 0])
      yield* after("1410 minutes")
      assert.deepStrictEqual(yield* script.calls, ["upload twitter", "upload twitter"])
      yield* after("30 minutes")
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      yield* script.calls
    })
  )

  it.effect("An upload that has begun goes on at once if a person publishes the post now", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts } = yield* Repo
      const post = yield* inAnHour()
      script.uploads.push(Effect.succeed(Processing({ begun: "job 1", askAfter: Duration.minutes(5) })))
      yield* after("30 minutes")
      yield* posts.publish(post.workspace, post.id, planPublish)
      assert.deepStrictEqual(yield* tick, [1, 1])
      assert.deepStrictEqual(yield* script.calls, ["upload twitter", "ask twitter", "publish twitter"])
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
    })
  )

  it.effect("A post that is canceled, or made a draft, stops its upload", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts } = yield* Repo
      const uploader = yield* Uploader
      const drafted = yield* inAnHour()
      const deleted = yield* inAnHour()
      yield* TestClock.adjust("30 minutes")
      script.uploads.push(Effect.never, Effect.never)
      assert.strictEqual(yield* uploader.tick, 2)
      yield* script.nextCall
      yield* script.nextCall
      const now = yield* DateTime.now
      yield* posts.update(drafted.workspace, drafted.id, (stored, library) =>
        planUpdate(stored, { status: "draft" }, now, library)
      )
      yield* posts.remove(deleted.workspace, deleted.id)
      yield* TestClock.adjust("5 seconds")
      yield* uploader.idle
      assert.deepStrictEqual(yield* uploadRows(drafted), [])
      assert.deepStrictEqual(yield* after("31 minutes"), [0, 0])
      assert.deepStrictEqual(yield* script.calls, [])
    })
  )

  it.effect("What the platform has forgotten before the first send is uploaded again, and then sent", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* inAnHour()
      script.sends.push(Effect.fail(new UploadsGone({ message: "Run out" })))
      yield* after("30 minutes")
      yield* after("30 minutes")
      assert.deepStrictEqual(yield* statuses(post), ["scheduled", "pending"])
      yield* after("1 minute")
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      const expected = ["upload twitter", "publish twitter", "upload twitter", "publish twitter"]
      assert.deepStrictEqual(yield* script.calls, expected)
    })
  )

  it.effect("A post that was refused before it was sent is sent again with the same uploads", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts } = yield* Repo
      const post = yield* inAnHour()
      script.preparations.push(Effect.fail(new Rejected({ message: "The thumbnail is refused" })))
      yield* after("30 minutes")
      yield* after("30 minutes")
      assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: rejected"])
      yield* posts.publish(post.workspace, post.id, planPublish)
      yield* after("1 minute")
      yield* after("1 minute")
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      assert.deepStrictEqual(yield* script.calls, ["upload twitter", "publish twitter"])
    })
  )

  it.effect("A post that a person sends again, and that certainly is not out, can be sent with new uploads", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts } = yield* Repo
      const post = yield* inAnHour()
      const unknown = new OutcomeUnknown({ message: "No answer" })
      script.sends.push(Effect.fail(unknown), Effect.fail(new UploadsGone({ message: "It expired", isAbsent: true })))
      script.looks.push(Effect.fail(unknown), Effect.fail(unknown), Effect.fail(unknown))
      yield* after("30 minutes")
      for (let ticks = 0; ticks < 5; ticks++) yield* after("30 minutes")
      assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: outcome_unknown"])
      yield* posts.publish(post.workspace, post.id, planPublish)
      yield* after("1 minute")
      assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: rejected"])
      yield* posts.publish(post.workspace, post.id, planPublish)
      yield* after("1 minute")
      yield* after("1 minute")
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      const expected = ["upload", "publish", "publish", "upload", "publish"].map((call) => `${call} twitter`)
      assert.deepStrictEqual(yield* script.calls, expected)
    })
  )

  it.effect(
    "A post that waits for its uploads at its time looks on its platform first after a gap of all processes",
    () =>
      Effect.gen(function* () {
        const script = yield* Script
        const { posts, publishingState } = yield* Repo
        const post = yield* inAnHour()
        yield* TestClock.adjust("1 hour")
        const sql = yield* SqlClient.SqlClient
        const marked = Effect.gen(function* () {
          const processes = yield* sql`SELECT id, lease_until FROM processes`
          yield* sql`UPDATE processes SET lease_until = clock_timestamp() - interval '1 hour'`
          const count = yield* publishingState.lookAfterGap
          for (const { id, lease_until } of processes) {
            yield* sql`UPDATE processes SET lease_until = ${lease_until} WHERE id = ${id}::uuid`
          }
          return count
        })
        assert.isAbove(yield* withoutRenewals(marked), 0)
        const [target] = yield* sql`SELECT reconcile_from FROM post_targets WHERE post_id = ${post.id}::uuid`
        assert.isNotNull(target?.["reconcile_from"])
        yield* posts.remove(post.workspace, post.id)
        yield* script.calls
      })
  )

  it.effect("An upload whose process stopped goes back to the queue", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* inAnHour()
      yield* TestClock.adjust("30 minutes")
      script.uploads.push(Effect.never)
      const stopped = yield* Effect.exit(
        Effect.gen(function* () {
          yield* (yield* Uploader).tick
          yield* script.nextCall
        }).pipe(Effect.provide(Layer.fresh(publisherLayer)), Effect.scoped)
      )
      assert.isTrue(Exit.isSuccess(stopped))
      assert.deepStrictEqual(yield* uploadRows(post), ["waiting"])
      assert.deepStrictEqual(yield* tick, [1, 0])
      yield* after("30 minutes")
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      yield* script.calls
    })
  )

  it.effect(
    "A post with media that the version before makes due is uploaded and sent with its files, by this version",
    () =>
      Effect.gen(function* () {
        const script = yield* Script
        const post = yield* inAnHour()
        const soon = DateTime.addDuration(yield* DateTime.now, "1 minute")
        yield* scheduleAsVersionBefore(post.workspace, post.id, soon)
        assert.deepStrictEqual(yield* after("1 minute"), [0, 1])
        assert.deepStrictEqual(yield* claimAsVersionBefore(), [])
        assert.deepStrictEqual(yield* tick, [1, 1])
        assert.strictEqual((yield* script.nextCall).what, "image/png A cat")
        assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
        yield* script.calls
      })
  )

  it.effect("The version before can't claim a post whose files are uploaded, nor take its claim over", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { targets } = yield* Repo
      const post = yield* inAnHour()
      yield* after("30 minutes")
      yield* TestClock.adjust("30 minutes")
      assert.deepStrictEqual(yield* claimAsVersionBefore(), [])
      const owner = Option.getOrThrow(yield* (yield* ProcessLease).right)
      const [claim] = yield* targets.claim(10, Duration.minutes(1), { owner })
      assert.strictEqual(claim?.postId, post.id)
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* claimAsVersionBefore(), [])
      assert.deepStrictEqual(yield* tick, [0, 1])
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      yield* script.calls
    })
  )

  it.effect("Where only the version before runs, posts with media wait and the account's other posts are claimed", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts, targets } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const waiting = yield* inAnHour(["twitter"])
      const claimed = yield* inAnHour(["twitter"])
      yield* after("30 minutes")
      const text = yield* posts.create(waiting.workspace, plan(waiting.at))
      yield* TestClock.adjust("30 minutes")
      const owner = Option.getOrThrow(yield* (yield* ProcessLease).right)
      const claims = yield* targets.claim(10, Duration.minutes(1), { owner })
      assert.lengthOf(claims, 2)
      yield* TestClock.adjust("2 minutes")
      const claimedAlone = withoutRenewals(Effect.andThen(sql`DELETE FROM processes`, claimAsVersionBefore()))
      assert.deepStrictEqual(yield* claimedAlone, [])
      const rows = yield* sql`SELECT status, due_at > clock_timestamp() AS later FROM post_targets
        WHERE post_id IN (${waiting.id}::uuid, ${claimed.id}::uuid)`
      assert.deepStrictEqual(
        [...rows],
        Array.from({ length: 2 }, () => ({ status: "pending", later: true }))
      )
      assert.deepStrictEqual(
        (yield* claimAsVersionBefore()).map(({ postId }) => postId),
        [text.id]
      )
      yield* sql`DELETE FROM posts`
      yield* script.calls
    })
  )
})
