import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { PostId, WorkspaceId } from "../../src/domain/ids.ts"
import { Unavailable, UploadsGone } from "../../src/domain/publishing/platformError.ts"
import { Processing, Uploaded } from "../../src/platforms/PlatformClient.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { uploadLease } from "../../src/publishing/timing.ts"
import { Uploader } from "../../src/publishing/Uploader.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { plan } from "../support/database/fixtures.ts"
import { after, inAnHour, Script, statuses, tick, uploadRows, uploadWorld } from "./uploadWorld.ts"
import { publisherLayer } from "./publisherLayer.ts"
import { planPublish } from "../support/plans.ts"

const anotherAccount = {
  platform: "twitter",
  accountId: "another",
  username: "another",
  displayName: null,
  avatarUrl: null,
  serviceUrl: null,
  credentials: Redacted.make("{}")
} as const

/** Lets time pass until nothing is uploaded. An upload checks every few seconds if it is still needed. */
const idleInTime = Effect.gen(function* () {
  const idle = yield* Effect.forkChild((yield* Uploader).idle)
  while (idle.pollUnsafe() === undefined) yield* TestClock.adjust("5 seconds")
})

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

  it.effect.each(["replace", "drafts"] as const)(
    "An upload that goes on while its account is replaced (%s) ends, and what it uploaded is not kept",
    (choice) =>
      Effect.gen(function* () {
        const script = yield* Script
        const uploader = yield* Uploader
        const { integrations } = yield* Repo
        const post = yield* inAnHour(["twitter", "bluesky"])
        script.uploads.push(Effect.never, Effect.never)
        yield* TestClock.adjust("30 minutes")
        assert.strictEqual(yield* uploader.tick, 2)
        yield* integrations.replaceAccount(post.workspace, anotherAccount, { posts: choice })
        assert.deepStrictEqual(yield* uploadRows(post), choice === "replace" ? ["waiting", "uploading"] : [])
        if (choice === "drafts") {
          yield* idleInTime
          assert.deepStrictEqual(yield* uploadRows(post), [])
        } else {
          assert.deepStrictEqual(yield* uploader.tick, 1)
          // The upload to Bluesky continues, so the uploader is not idle once X's upload is stored.
          const rows = yield* Effect.repeat(uploadRows(post), { until: ([first]) => first !== "uploading" })
          assert.deepStrictEqual(rows, ["ready", "uploading"])
        }
        yield* (yield* Repo).posts.remove(post.workspace, post.id)
        yield* idleInTime
        script.uploads.length = 0
        yield* script.calls
      })
  )

  it.effect("Files that were uploaded are uploaded for the account that replaces theirs, before the post's time", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { integrations } = yield* Repo
      const post = yield* inAnHour()
      yield* after("30 minutes")
      assert.deepStrictEqual(yield* uploadRows(post), ["ready"])
      yield* integrations.replaceAccount(post.workspace, anotherAccount, { posts: "replace" })
      assert.deepStrictEqual(yield* tick, [1, 0])
      assert.deepStrictEqual(yield* uploadRows(post), ["ready"])
      assert.deepStrictEqual(yield* after("30 minutes"), [0, 1])
      assert.deepStrictEqual(yield* script.calls, ["upload twitter", "upload twitter", "publish twitter"])
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
      const slots = { perAccount: 1, platforms: { twitter: 1, bluesky: 1 }, perHost: 1, hosts: {} }
      const post = yield* inAnHour()
      yield* TestClock.adjust("30 minutes")
      const [claim] = yield* platformUploads.claim(1, uploadLease, { owner, slots })
      if (claim === undefined) return assert.fail("The upload was not claimed")
      const read = sql`SELECT prepared, due_at FROM post_targets WHERE post_id = ${post.id}::uuid`
      yield* sql`UPDATE post_targets SET prepared = '{"text":"Hello"}', sent_at = due_since, attempts = 1,
        due_at = due_since + interval '1 minute' WHERE post_id = ${post.id}::uuid`
      const sent = yield* read
      yield* platformUploads.settle(claim, { _tag: "Uploaded", uploads: "late files", later: null })
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

/** Files that the platform processes for a while. */
const processing = (begun: string, askAfter: Duration.Input) =>
  Effect.succeed(Processing({ begun, askAfter: Duration.fromInputUnsafe(askAfter) }))

layer(uploadWorld)("Uploads that share the slots", (it) => {
  it.effect("Many files of one account leave slots for another one, whose turn comes first", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const uploader = yield* Uploader
      const { posts } = yield* Repo
      const first = yield* inAnHour()
      for (let more = 0; more < 9; more++) {
        yield* posts.create(first.workspace, { ...plan(first.at), media: [first.file] })
      }
      yield* TestClock.adjust("31 minutes")
      script.uploads.push(...Array.from({ length: 11 }, () => Effect.never))
      assert.strictEqual(yield* uploader.tick, 4)
      assert.strictEqual(yield* uploader.tick, 0)
      const other = yield* inAnHour()
      yield* posts.publish(other.workspace, other.id, planPublish)
      assert.strictEqual(yield* uploader.tick, 1)
      assert.deepStrictEqual(yield* uploadRows(other), ["uploading"])
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM posts`
      yield* TestClock.adjust("5 seconds")
      yield* uploader.idle
      script.uploads.length = 0
      yield* script.calls
    })
  )

  it.effect("A file that the platform processes takes no slot, and is asked for until it is done, for hours", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const uploader = yield* Uploader
      const post = yield* inAnHour()
      yield* TestClock.adjust("30 minutes")
      script.uploads.push(...Array.from({ length: 6 }, () => processing("the job", "30 seconds")))
      assert.deepStrictEqual(yield* tick, [1, 0])
      yield* uploader.idle
      assert.deepStrictEqual(yield* uploadRows(post), ["waiting"])
      assert.deepStrictEqual(yield* after("20 seconds"), [0, 0])
      assert.deepStrictEqual(yield* after("10 seconds"), [1, 0])
      for (let hours = 1; hours <= 4; hours++) yield* after("1 hour")
      const calls = yield* script.calls
      assert.deepStrictEqual(calls, ["upload twitter", ...Array.from({ length: 5 }, () => "ask twitter")])
      yield* after("1 hour")
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      assert.deepStrictEqual(yield* script.calls, ["ask twitter", "publish twitter"])
    })
  )

  it.effect("What a platform has begun to process is known to the process that comes after", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* inAnHour()
      yield* TestClock.adjust("30 minutes")
      script.uploads.push(processing("the job", "30 seconds"))
      yield* Effect.gen(function* () {
        const uploader = yield* Uploader
        yield* uploader.tick
        yield* uploader.idle
      }).pipe(Effect.provide(Layer.fresh(publisherLayer)), Effect.scoped)
      yield* script.calls
      assert.deepStrictEqual(yield* after("30 seconds"), [1, 0])
      assert.deepStrictEqual(yield* script.nextCall, { call: "ask", platform: "twitter", what: '"the job"' })
      assert.deepStrictEqual(yield* uploadRows(post), ["ready"])
      yield* (yield* Repo).posts.remove(post.workspace, post.id)
    })
  )

  it.effect(
    "A platform that never ends processing fails the target a day after its time, and others before go on",
    () =>
      Effect.gen(function* () {
        const script = yield* Script
        const post = yield* inAnHour()
        yield* TestClock.adjust("30 minutes")
        script.uploads.push(...Array.from({ length: 40 }, () => processing("the job", "30 seconds")))
        for (let hours = 0; hours <= 26; hours++) yield* after("1 hour")
        assert.deepStrictEqual(yield* statuses(post), ["failed", "failed: gave_up"])
        script.uploads.length = 0
        yield* script.calls
      })
  )

  it.effect("What the platform has lost of a job is uploaded from the beginning", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* inAnHour()
      yield* TestClock.adjust("30 minutes")
      script.uploads.push(processing("the job", "30 seconds"), Effect.fail(new UploadsGone({ message: "No such job" })))
      yield* tick
      yield* after("30 seconds")
      yield* after("2 minutes")
      assert.deepStrictEqual(yield* uploadRows(post), ["ready"])
      assert.deepStrictEqual(yield* script.calls, ["upload twitter", "ask twitter", "upload twitter"])
      yield* (yield* Repo).posts.remove(post.workspace, post.id)
    })
  )
})

/** The error that the only target of a post shows. */
const shownError = (post: { readonly workspace: WorkspaceId; readonly id: PostId }) =>
  Effect.gen(function* () {
    const [target] = (yield* (yield* Repo).posts.get(post.workspace, post.id)).post_targets
    return target?.error?.message ?? null
  })

layer(uploadWorld)("Uploads that can't be read or stored", (it) => {
  const damages: ReadonlyArray<readonly [string, (post: PostId) => string]> = [
    ["the files of its post", (post) => `UPDATE posts SET media = '[{"id":"none","alt":""}]' WHERE id = '${post}'`],
    ["the list of its files", (post) => `UPDATE posts SET media = '"none"' WHERE id = '${post}'`],
    [
      "the renditions of a file",
      (post) =>
        `UPDATE media SET renditions = '[1]' WHERE id IN (SELECT media_id FROM post_media WHERE post_id = '${post}')`
    ],
    [
      "the facts of a file",
      (post) =>
        `UPDATE media SET facts = '{"type":"later"}' WHERE id IN (SELECT media_id FROM post_media WHERE post_id = '${post}')`
    ],
    [
      "its number of attempts",
      (post) =>
        `UPDATE post_target_uploads SET attempts = 2147483647, start_at = '-infinity' WHERE target_id IN (SELECT id FROM post_targets WHERE post_id = '${post}')`
    ]
  ]
  it.effect.each(damages)("An upload that has %s damaged keeps no other from beginning", ([, damage]) =>
    Effect.gen(function* () {
      const script = yield* Script
      const sql = yield* SqlClient.SqlClient
      const damaged = yield* inAnHour()
      const whole = yield* inAnHour()
      yield* sql.unsafe(damage(damaged.id))
      yield* after("30 minutes")
      assert.deepStrictEqual(yield* uploadRows(whole), ["ready"])
      yield* sql`DELETE FROM posts`
      yield* script.calls
    })
  )

  it.effect("An upload that can't be read waits a minute each time, and its post says so", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const sql = yield* SqlClient.SqlClient
      const post = yield* inAnHour()
      yield* sql`UPDATE media SET renditions = '[1]' WHERE id = ${post.file.id}::uuid`
      assert.deepStrictEqual(yield* after("30 minutes"), [0, 0])
      assert.deepStrictEqual(yield* uploadRows(post), ["waiting"])
      assert.include(yield* shownError(post), "can't read what is stored")
      const claims = sql`SELECT attempts, next_at - ${DateTime.toDateUtc(yield* DateTime.now)}::timestamptz = interval '1 minute' AS "inAMinute"
        FROM post_target_uploads`
      assert.deepStrictEqual([...(yield* claims)], [{ attempts: 0, inAMinute: true }])
      yield* sql`DELETE FROM posts`
      assert.deepStrictEqual(yield* script.calls, [])
    })
  )

  it.effect.each<readonly [string, string]>([
    ["NUL", "fi\0le"],
    ["half of a surrogate pair", "fi\uD800le"]
  ])("What a platform returned with %s in it is not stored, and its upload is tried again", ([, name]) =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* inAnHour()
      script.uploads.push(
        Effect.succeed(Uploaded({ uploads: name })),
        Effect.fail(new Unavailable({ message: `Not ${name}` }))
      )
      yield* after("30 minutes")
      assert.deepStrictEqual(yield* uploadRows(post), ["waiting"])
      yield* after("5 minutes")
      assert.deepStrictEqual(yield* uploadRows(post), ["waiting"])
      assert.include(yield* shownError(post), "Not fi")
      yield* after("10 minutes")
      assert.deepStrictEqual(yield* uploadRows(post), ["ready"])
      assert.isNull(yield* shownError(post))
      yield* (yield* Repo).posts.remove(post.workspace, post.id)
      yield* script.calls
    })
  )
})

/** Runs an effect while the database refuses to end upload claims. */
const whileNoneEnds = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE OR REPLACE FUNCTION refuse_end() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'Not while tested'; END $$`
    yield* sql`CREATE TRIGGER refuse_end BEFORE UPDATE ON post_target_uploads FOR EACH ROW
      WHEN (OLD.claim_token IS NOT NULL AND NEW.claim_token IS NULL) EXECUTE FUNCTION refuse_end()`
    return yield* Effect.ensuring(effect, Effect.orDie(sql`DROP TRIGGER refuse_end ON post_target_uploads`))
  })

layer(uploadWorld)("Claims of uploads that can't be ended", (it) => {
  it.effect("An upload whose end can't be stored begins again within a minute", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* inAnHour()
      yield* whileNoneEnds(after("30 minutes"))
      assert.deepStrictEqual(yield* uploadRows(post), ["uploading"])
      assert.deepStrictEqual(yield* after("19 seconds"), [0, 0])
      assert.deepStrictEqual(yield* after("1 second"), [1, 0])
      assert.deepStrictEqual(yield* uploadRows(post), ["ready"])
      assert.deepStrictEqual(yield* script.calls, ["upload twitter", "upload twitter"])
      yield* (yield* Repo).posts.remove(post.workspace, post.id)
    })
  )

  it.effect("An upload that can't be read, nor returned to the queue, is claimed again within a minute", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const sql = yield* SqlClient.SqlClient
      const post = yield* inAnHour()
      const read = sql`SELECT renditions::text FROM media WHERE id = ${post.file.id}::uuid`
      const [row] = yield* read
      yield* sql`UPDATE media SET renditions = '[1]' WHERE id = ${post.file.id}::uuid`
      yield* whileNoneEnds(after("30 minutes"))
      assert.deepStrictEqual(yield* uploadRows(post), ["uploading"])
      yield* sql`UPDATE media SET renditions = ${row?.["renditions"]}::jsonb WHERE id = ${post.file.id}::uuid`
      assert.deepStrictEqual(yield* after("20 seconds"), [1, 0])
      assert.deepStrictEqual(yield* uploadRows(post), ["ready"])
      yield* (yield* Repo).posts.remove(post.workspace, post.id)
      yield* script.calls
    })
  )
})

layer(uploadWorld)("A post whose files are refused", (it) => {
  it.effect("It shows why from the second refusal on, until it is out", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const post = yield* inAnHour()
      script.sends.push(...Array.from({ length: 3 }, () => Effect.fail(new UploadsGone({ message: "X forgot them" }))))
      yield* after("30 minutes")
      yield* after("30 minutes")
      assert.isNull(yield* shownError(post))
      yield* tick
      assert.strictEqual(yield* shownError(post), "X forgot them")
      yield* after("1 minute")
      assert.strictEqual(yield* shownError(post), "X forgot them")
      for (let minutes = 0; minutes < 4; minutes++) yield* after("1 minute")
      assert.deepStrictEqual(yield* statuses(post), ["published", "published"])
      assert.isNull(yield* shownError(post))
      yield* script.calls
    })
  )
})
