import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OutcomeUnknown, Unavailable, UploadsGone } from "../../src/domain/publishing/platformError.ts"
import { Processing } from "../../src/platforms/PlatformClient.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { uploadLease } from "../../src/publishing/timing.ts"
import { Uploader } from "../../src/publishing/Uploader.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { plan } from "../support/database/fixtures.ts"
import { after, inAnHour, Script, statuses, tick, uploadRows, uploadWorld } from "./uploadWorld.ts"
import { publisherLayer } from "./publisherLayer.ts"
import { planPublish } from "../support/plans.ts"

/** Posts of one account with an image each, due in an hour. */
const posts = Effect.fnUntraced(function* (count: number) {
  const first = yield* inAnHour()
  const { posts: repo } = yield* Repo
  for (let more = 1; more < count; more++) {
    yield* repo.create(first.workspace, { ...plan(first.at), media: [first.file] })
  }
  return first
})

/** Claims uploads to X, with the given free slots per account and on X. */
const claim = Effect.fnUntraced(function* (perAccount: number, onX: number) {
  const { platformUploads } = yield* Repo
  const owner = Option.getOrThrow(yield* (yield* ProcessLease).right)
  const slots = { perAccount, platforms: { twitter: onX, bluesky: 0 }, perHost: 100, hosts: {} }
  return yield* platformUploads.claim(100, uploadLease, { owner, slots })
})

/** Deletes all posts, and waits for begun uploads. */
const deletePosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM posts`
  yield* TestClock.adjust("5 seconds")
  yield* (yield* Uploader).idle
  const script = yield* Script
  script.uploads.length = 0
  yield* script.calls
})

layer(uploadWorld)("The turns of uploads", (it) => {
  it.effect("What an account uploads already counts among its slots", () =>
    Effect.gen(function* () {
      yield* posts(9)
      yield* TestClock.adjust("31 minutes")
      assert.lengthOf(yield* claim(2, 16), 2)
      assert.lengthOf(yield* claim(4, 16), 2)
      assert.lengthOf(yield* claim(4, 16), 0)
      yield* deletePosts
    })
  )

  it.effect("Where the platform has few slots, each account gets one before any gets a second", () =>
    Effect.gen(function* () {
      yield* posts(3)
      yield* TestClock.adjust("1 minute")
      yield* posts(1)
      yield* TestClock.adjust("31 minutes")
      const accounts = (yield* claim(4, 2)).map(({ accountId, workspaceId }) => `${workspaceId} ${accountId}`)
      assert.lengthOf(new Set(accounts), 2)
      yield* deletePosts
    })
  )

  it.effect("An account whose slots are taken hides no other, however many of its files wait longer", () =>
    Effect.gen(function* () {
      yield* posts(505)
      yield* TestClock.adjust("1 minute")
      yield* posts(1)
      yield* TestClock.adjust("31 minutes")
      assert.lengthOf(yield* claim(4, 16), 4)
      assert.lengthOf(yield* claim(4, 16), 1)
      yield* deletePosts
    })
  )

  it.effect("The uploads of a process that stopped take no slots of their account from the next process", () =>
    Effect.gen(function* () {
      yield* posts(4)
      yield* TestClock.adjust("31 minutes")
      const stopped = claim(4, 16).pipe(Effect.provide(Layer.fresh(publisherLayer)), Effect.scoped)
      assert.lengthOf(yield* stopped, 4)
      assert.lengthOf(yield* claim(4, 16), 4)
      yield* deletePosts
    })
  )
})

layer(uploadWorld)("Uploads that fail or go on", (it) => {
  const job = Effect.succeed(Processing({ begun: "the job", askAfter: Duration.seconds(30) }))
  const down = Effect.fail(new Unavailable({ message: "Down" }))

  it.effect("A job of which the platform can't be asked at the moment is asked for again, and not begun anew", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* inAnHour()
      script.uploads.push(job, down)
      yield* after("30 minutes")
      yield* after("30 seconds")
      yield* after("2 minutes")
      assert.deepStrictEqual(yield* uploadRows(post), ["ready"])
      assert.deepStrictEqual(yield* script.calls, ["upload twitter", "ask twitter", "ask twitter"])
      yield* deletePosts
    })
  )

  it.effect("The first failure is not shown, and asking for what is processed counts as no attempt", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts: repo } = yield* Repo
      const post = yield* inAnHour()
      const error = Effect.map(repo.get(post.workspace, post.id), ({ post_targets: [target] }) => target?.error ?? null)
      script.uploads.push(job, job, job, down, down)
      yield* after("30 minutes")
      for (let asked = 0; asked < 3; asked++) yield* after("30 seconds")
      assert.deepStrictEqual(yield* uploadRows(post), ["waiting"])
      assert.isNull(yield* error)
      yield* after("2 minutes")
      assert.strictEqual((yield* error)?.message, "Down")
      yield* after("5 minutes")
      yield* tick
      assert.isNull(yield* error)
      yield* deletePosts
    })
  )
})

layer(uploadWorld)("Files that run out after a send whose outcome is unknown", (it) => {
  it.effect("They are not uploaded again, nothing is sent twice, and a person decides", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts: repo, targets } = yield* Repo
      const post = yield* inAnHour()
      const unknown = new OutcomeUnknown({ message: "The connection was lost" })
      script.sends.push(Effect.fail(unknown))
      script.looks.push(...Array.from({ length: 3 }, () => Effect.fail(unknown)))
      yield* after("30 minutes")
      yield* after("30 minutes")
      for (let looks = 0; looks < 4; looks++) yield* after("5 minutes")
      assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: outcome_unknown"])
      assert.deepStrictEqual(yield* script.calls, ["upload twitter", "publish twitter"])

      script.sends.push(...Array.from({ length: 9 }, () => Effect.fail(new UploadsGone({ message: "X forgot them" }))))
      yield* TestClock.adjust("25 hours")
      yield* repo.publish(post.workspace, post.id, planPublish)
      yield* tick
      for (let later = 0; later < 12; later++) yield* after("1 hour")
      assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: outcome_unknown"])
      const calls = yield* script.calls
      assert.notInclude(calls, "upload twitter")
      assert.lengthOf(calls, 1)
      script.sends.length = 0

      yield* targets.resolve(
        { workspaceId: post.workspace, postId: post.id, platform: "twitter" },
        { outcome: "published", post: null, continues: false }
      )
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
    })
  )
})
