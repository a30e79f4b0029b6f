import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { planPublish } from "../../src/domain/posts/postPlan.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { uploadLease } from "../../src/publishing/timing.ts"
import { Uploader } from "../../src/publishing/Uploader.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { after, inAnHour, Script, statuses, tick, uploadRows, uploadWorld } from "./uploadWorld.ts"

layer(uploadWorld)("An upload that meets something else", (it) => {
  it.effect("The files of a post are not uploaded to another account than the one that the post was made for", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const sql = yield* SqlClient.SqlClient
      const { integrations } = yield* Repo
      const post = yield* inAnHour()
      yield* sql`UPDATE integrations SET account_id = 'another' WHERE workspace_id = ${post.workspace}::uuid`
      assert.deepStrictEqual(yield* after("30 minutes"), [1, 0])
      assert.deepStrictEqual(yield* script.calls, [])
      const [account] = yield* integrations.list(post.workspace)
      assert.strictEqual(account?.status, "connected")
      yield* after("30 minutes")
      assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: needs_reconnect"])
      assert.deepStrictEqual(yield* script.calls, [])
    })
  )

  it.effect("A post that is published now while its files are uploaded is sent once they are there, with them", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { posts } = yield* Repo
      const uploader = yield* Uploader
      const publisher = yield* Publisher
      const post = yield* inAnHour()
      yield* TestClock.adjust("30 minutes")
      const files = yield* Deferred.make<string>()
      script.uploads.push(Deferred.await(files))
      assert.strictEqual(yield* uploader.tick, 1)
      yield* script.nextCall
      yield* posts.publish(post.workspace, post.id, planPublish)
      assert.strictEqual(yield* publisher.tick, 0)
      assert.strictEqual(yield* uploader.tick, 0)
      yield* Deferred.succeed(files, "the files")
      yield* uploader.idle
      assert.deepStrictEqual(yield* tick, [0, 1])
      assert.strictEqual((yield* script.nextCall).what, JSON.stringify({ text: "Hello", files: "the files" }))
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      assert.deepStrictEqual(yield* script.calls, [])
    })
  )

  it.effect("An upload that ends late changes nothing of a target that was sent meanwhile", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const sql = yield* SqlClient.SqlClient
      const { platformUploads } = yield* Repo
      const owner = yield* Effect.flatMap(
        Effect.flatMap(ProcessLease, ({ right }) => right),
        Effect.fromOption
      )
      const slots = { platforms: { twitter: 1, bluesky: 1 }, perHost: 1, hosts: {} }
      const post = yield* inAnHour()
      yield* TestClock.adjust("30 minutes")
      const [claim] = yield* platformUploads.claim(1, uploadLease, { owner, slots })
      if (claim === undefined) return assert.fail("The upload was not claimed")
      const read = sql`SELECT prepared, due_at FROM post_targets WHERE post_id = ${post.id}::uuid`
      yield* sql`UPDATE post_targets SET prepared = '{"text":"Hello"}', sent_at = due_since, attempts = 1,
        due_at = due_since + interval '1 minute' WHERE post_id = ${post.id}::uuid`
      const sent = yield* read
      yield* platformUploads.settle(claim, { _tag: "Uploaded", uploads: "late files" })
      assert.deepStrictEqual(yield* read, sent)
      assert.deepStrictEqual(yield* uploadRows(post), ["ready"])
      yield* sql`DELETE FROM posts WHERE id = ${post.id}::uuid`
      assert.deepStrictEqual(yield* script.calls, [])
    })
  )

  it.effect("Nothing is uploaded while publishing is held after a restore", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const sql = yield* SqlClient.SqlClient
      const post = yield* inAnHour()
      yield* TestClock.adjust("30 minutes")
      yield* sql`INSERT INTO publishing_state (held_since) VALUES (${DateTime.toDateUtc(yield* DateTime.now)})`
      assert.deepStrictEqual(yield* tick, [0, 0])
      assert.deepStrictEqual(yield* uploadRows(post), ["waiting"])
      yield* sql`DELETE FROM publishing_state`
      assert.deepStrictEqual(yield* tick, [1, 0])
      assert.deepStrictEqual(yield* script.calls, ["upload twitter"])
      yield* sql`DELETE FROM posts WHERE id = ${post.id}::uuid`
    })
  )
})
