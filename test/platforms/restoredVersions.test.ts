import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { PostId, WorkspaceId } from "../../src/domain/ids.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { plan } from "../support/database/fixtures.ts"
import { publishDue, publishing } from "./publishing.ts"
import { baseUrl } from "./world.ts"
import { planPublish, planUpdate } from "../support/plans.ts"

const world = publishing(
  Effect.map(Sandbox, (sandbox) => sandbox.platforms(baseUrl)),
  Sandbox.layer()
)

/** A workspace with an account on both platforms. */
const team = Effect.fn(function* (name: string) {
  const { integrations, posts, workspaces } = yield* Repo
  const sandbox = yield* Sandbox
  const { id } = yield* workspaces.create(name)
  yield* integrations.connect(id, { platform: "twitter", ...(yield* sandbox.connect("twitter", name)) })
  yield* integrations.connect(id, { platform: "bluesky", ...(yield* sandbox.connect("bluesky", name)) })
  const schedule = Effect.fn(function* (content: string, minutes: number) {
    const time = DateTime.add(yield* DateTime.now, { minutes })
    return (yield* posts.create(id, { ...plan(time, ["twitter", "bluesky"]), content })).id
  })
  return { id, schedule }
})

const codes = Effect.fn(function* (workspace: WorkspaceId, post: PostId) {
  const { post_targets } = yield* (yield* Repo).posts.get(workspace, post)
  return post_targets.map(({ error, status }) => error?.code ?? status)
})

const messages = Effect.fn(function* (workspace: WorkspaceId, post: PostId) {
  const { post_targets } = yield* (yield* Repo).posts.get(workspace, post)
  return post_targets.map(({ error }) => error?.message ?? "")
})

/** The texts that the platforms show, of those that begin like this. */
const shown = (beginning: string) =>
  Effect.map(
    Effect.flatMap(Sandbox, (sandbox) => sandbox.posts),
    (all) =>
      all
        .filter(({ text }) => text.startsWith(beginning))
        .map(({ platform, text }) => `${platform}: ${text}`)
        .toSorted()
  )

const edit = Effect.fn(function* (workspace: WorkspaceId, post: PostId, patch: Parameters<typeof planUpdate>[1]) {
  const { posts } = yield* Repo
  const now = yield* DateTime.now
  return yield* Effect.result(posts.update(workspace, post, (stored) => planUpdate(stored, patch, now)))
})

/** Makes a post what a backup from an hour ago has of it: scheduled in `minutes` from now, with this text. */
const restore = Effect.fn(function* (post: PostId, content: string, minutes: number) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.now
  const time = DateTime.formatIso(DateTime.add(now, { minutes }))
  yield* sql`UPDATE posts SET status = 'scheduled', published_at = NULL, content = ${content},
    scheduled_at = ${time}::timestamptz WHERE id = ${post}::uuid`
  yield* sql`UPDATE post_targets SET status = 'pending', due_at = ${time}::timestamptz, due_since = ${time}::timestamptz,
    attempts = 0, prepared = NULL, sent_at = NULL, send_token = NULL, platform_post_id = NULL,
    platform_post_url = NULL, published_at = NULL,
    reconcile_from = ${DateTime.formatIso(now)}::timestamptz - interval '1 hour',
    reconcile_until = ${DateTime.formatIso(now)}::timestamptz WHERE post_id = ${post}::uuid`
})

/** As after a restore that nobody announced: its post is due, and no process ran on the database for an hour. */
const restoreUnannounced = Effect.fn(function* (post: PostId, content: string) {
  const sql = yield* SqlClient.SqlClient
  yield* restore(post, content, 0)
  yield* sql`UPDATE post_targets SET reconcile_until = NULL WHERE post_id = ${post}::uuid`
  // So that the look on X ends first.
  yield* sql`UPDATE post_targets SET due_at = due_at + interval '10 seconds'
    WHERE post_id = ${post}::uuid AND platform = 'bluesky'`
})

/** Until the look on Bluesky was made, and before X is tried again. */
const lookLater = Effect.andThen(TestClock.adjust("15 seconds"), publishDue)

const pass = (minutes: number) => Effect.andThen(TestClock.adjust(`${minutes} minutes`), publishDue)

layer(world)("A post that went out in another version than a backup has", (it) => {
  it.effect("It is left to a person on both platforms, and published by nobody until a person decides", () =>
    Effect.gen(function* () {
      const { id, schedule } = yield* team("edited")
      const post = yield* schedule("Edited: first", 60)
      yield* edit(id, post, { content: "Edited: second", scheduled_at: yield* DateTime.now })
      yield* publishDue
      const both = ["bluesky: Edited: second", "twitter: Edited: second"]
      assert.deepStrictEqual(yield* shown("Edited"), both)
      yield* restore(post, "Edited: first", 30)
      yield* pass(30)
      yield* pass(1)
      assert.deepStrictEqual(yield* codes(id, post), ["outcome_unknown", "outcome_unknown"])
      const [onX, onBluesky] = yield* messages(id, post)
      assert.include(onX, "This post is on Bluesky with another text")
      assert.match(onBluesky ?? "", /^Bluesky has a record with another text under the key of this post: https?:/)
      assert.deepStrictEqual(yield* shown("Edited"), both)

      yield* (yield* Repo).posts.publish(id, post, planPublish)
      yield* pass(1)
      assert.deepStrictEqual(yield* codes(id, post), ["published", "outcome_unknown"])
      assert.deepStrictEqual(yield* shown("Edited"), [...both, "twitter: Edited: first"].toSorted())
    })
  )

  it.effect("After a restore that nobody announced, X is sent nothing before the look on Bluesky that can tell", () =>
    Effect.gen(function* () {
      const { id, schedule } = yield* team("unannounced")
      const post = yield* schedule("Unannounced: first", 60)
      yield* edit(id, post, { content: "Unannounced: second", scheduled_at: yield* DateTime.now })
      yield* publishDue
      const both = yield* shown("Unannounced")
      assert.deepStrictEqual(both, ["bluesky: Unannounced: second", "twitter: Unannounced: second"])
      yield* restoreUnannounced(post, "Unannounced: first")
      yield* publishDue
      assert.deepStrictEqual(yield* shown("Unannounced"), both)
      yield* lookLater
      yield* pass(1)
      assert.deepStrictEqual(yield* codes(id, post), ["outcome_unknown", "outcome_unknown"])
      assert.include((yield* messages(id, post))[0], "This post is on Bluesky with another text")
      assert.deepStrictEqual(yield* shown("Unannounced"), both)
    })
  )

  it.effect("After an outage a post goes out on X at the first attempt that follows the look on Bluesky", () =>
    Effect.gen(function* () {
      const { id, schedule } = yield* team("outage")
      const post = yield* schedule("Outage", 60)
      yield* restoreUnannounced(post, "Outage")
      yield* publishDue
      assert.deepStrictEqual(yield* codes(id, post), ["unavailable", "pending"])
      yield* lookLater
      assert.deepStrictEqual(yield* codes(id, post), ["unavailable", "published"])
      yield* pass(1)
      assert.deepStrictEqual(yield* codes(id, post), ["published", "published"])
      assert.deepStrictEqual(yield* shown("Outage"), ["bluesky: Outage", "twitter: Outage"])
    })
  )

  it.effect.each([
    ["moved to a later time", { scheduled_at: 40 }],
    ["made a draft", { status: "draft" }]
  ] as const)(
    "A text that went out before the restore is found although the post was %s and changed since",
    ([, change]) =>
      Effect.gen(function* () {
        const { id, schedule } = yield* team(`moved-${Object.keys(change).join("")}`)
        const text = `Moved ${Object.keys(change).join("")}`
        const post = yield* schedule(`${text}: first`, 0)
        yield* publishDue
        const before = yield* shown(text)
        assert.lengthOf(before, 2)
        yield* restore(post, `${text}: first`, -10)
        assert.isTrue(Result.isFailure(yield* edit(id, post, { content: `${text}: second` })))
        const later = DateTime.add(yield* DateTime.now, { minutes: 40 })
        const moved = "status" in change ? { status: change.status } : { scheduled_at: later }
        assert.isTrue(Result.isSuccess(yield* edit(id, post, moved)))
        const edited = yield* edit(id, post, { content: `${text}: second`, status: "scheduled", scheduled_at: later })
        assert.isTrue(Result.isSuccess(edited))
        yield* pass(40)
        yield* pass(1)
        assert.deepStrictEqual(yield* codes(id, post), ["outcome_unknown", "outcome_unknown"])
        assert.deepStrictEqual(yield* shown(text), before)
      })
  )
})
