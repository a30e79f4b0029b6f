import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { PlatformClient, Uploaded, type UploadProgress } from "../../src/platforms/PlatformClient.ts"
import { publishTarget } from "../../src/publishing/publishTarget.ts"
import { Sends } from "../../src/publishing/Sends.ts"
import { Settlements } from "../../src/publishing/Settlements.ts"
import { heldCheckInterval, lease, releasePause } from "../../src/publishing/timing.ts"
import { uploadFiles } from "../../src/publishing/uploadFiles.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { claimed, currentLease } from "./claimed.ts"
import { ok, Script, scriptedPlatform } from "./scriptedPlatform.ts"
import { scriptedSend } from "./scriptedSend.ts"

const unavailable = Effect.fail(new DatabaseUnavailable({ operation: "a test", cause: new Error("unavailable") }))

/** A claim of a due post. */
const claimDue = Effect.gen(function* () {
  const { posts, targets } = yield* Repo
  const workspace = yield* makeWorkspace(["twitter"])
  yield* posts.create(workspace, plan(yield* DateTime.now))
  const [claim] = yield* targets.claim(1, lease)
  return claim ?? (yield* Effect.die("Nothing was due"))
})

layer(
  Sends.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(scriptedPlatform, currentLease, Settlements.layer)),
    Layer.provideMerge(repoLayer)
  )
)("publishTarget while the database is unavailable", (it) => {
  it.effect("The claim of a published post is never released, so that the post can't be sent again", () =>
    Effect.gen(function* () {
      const repo = yield* Repo
      const script = yield* Script
      const claim = yield* claimDue
      const tries = yield* Queue.unbounded<void>()
      const settleAll = () => Effect.andThen(Queue.offer(tries, undefined), unavailable)
      const running = yield* Effect.forkChild(
        publishTarget(claim).pipe(
          Effect.provide(Layer.fresh(Settlements.layer)),
          Effect.provideService(Repo, {
            ...repo,
            targets: { ...repo.targets, settleAll, probeSettling: unavailable }
          })
        )
      )
      yield* Queue.take(tries)
      while (running.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT status FROM post_targets WHERE id = ${claim.targetId}::uuid`, [
        { status: "publishing" }
      ])
      yield* TestClock.adjust(lease)
      const [found] = yield* repo.targets.claim(1, lease)
      assert.isNotNull(found?.sentAt)
      if (found !== undefined) yield* publishTarget(found)
      assert.deepStrictEqual(
        (yield* script.calls).map(({ call }) => call),
        ["publish", "reconcile"]
      )
    })
  )

  it.effect("A published post is settled once the database is available again, and is not reconciled", () =>
    Effect.gen(function* () {
      const repo = yield* Repo
      const script = yield* Script
      const claim = yield* claimDue
      yield* script.calls
      const tries = yield* Queue.unbounded<void>()
      const settleAll: typeof repo.targets.settleAll = (batch, record) =>
        Effect.gen(function* () {
          yield* Queue.offer(tries, undefined)
          return yield* (yield* Queue.size(tries)) < 3 ? unavailable : repo.targets.settleAll(batch, record)
        })
      const running = yield* Effect.forkChild(
        publishTarget(claim).pipe(
          Effect.provide(Layer.fresh(Settlements.layer)),
          Effect.provideService(Repo, {
            ...repo,
            targets: { ...repo.targets, settleAll, probeSettling: unavailable }
          })
        )
      )
      // A ping between the steps gives the database real time to store the intent.
      while ((yield* Queue.size(tries)) < 3) yield* Effect.andThen(TestClock.adjust("1 second"), repo.ping)
      yield* Fiber.join(running)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT status FROM post_targets WHERE id = ${claim.targetId}::uuid`, [
        { status: "published" }
      ])
      assert.deepStrictEqual(
        (yield* script.calls).map(({ call }) => call),
        ["publish"]
      )
    })
  )

  it.effect(
    "The claim of a post whose credentials could not be read is released after a pause, and the post is sent later",
    () =>
      Effect.gen(function* () {
        const { targets } = yield* Repo
        const platforms = yield* PlatformClient
        const script = yield* Script
        const claim = yield* claimDue
        yield* script.calls
        const asked = yield* Queue.unbounded<void>()
        const credentials = Effect.andThen(Queue.offer(asked, undefined), unavailable)
        const unreadable = {
          ...platforms,
          twitter: { ...platforms.twitter, ...scriptedSend(() => credentials), reconcile: () => credentials }
        }
        const running = yield* Effect.forkChild(
          publishTarget(claim).pipe(
            Effect.provide(Layer.fresh(Sends.layer)),
            Effect.provideService(PlatformClient, unreadable)
          )
        )
        yield* Queue.take(asked)
        yield* TestClock.adjust(Duration.subtract(releasePause, Duration.millis(1)))
        assert.isEmpty(yield* targets.claim(1, lease))
        yield* TestClock.adjust("1 millis")
        yield* Fiber.join(running)
        const [again] = yield* targets.claim(1, lease)
        assert.strictEqual(again?.attempts, 1)
        assert.isNull(again?.sentAt)
        yield* script.respond("twitter", ok)
        if (again !== undefined) yield* publishTarget(again)
        assert.deepStrictEqual(
          (yield* script.calls).map(({ call }) => call),
          ["publish"]
        )
      })
  )

  it.effect("An upload goes on while the database can't say whether its post still waits for it", () =>
    Effect.gen(function* () {
      const repo = yield* Repo
      const platforms = yield* PlatformClient
      const asked = yield* Queue.unbounded<void>()
      const uploaded = yield* Deferred.make<UploadProgress>()
      const stored: Array<string> = []
      const platformUploads: typeof repo.platformUploads = {
        ...repo.platformUploads,
        isHeld: () => Effect.andThen(Queue.offer(asked, undefined), unavailable),
        settle: (_, { _tag }) => Effect.sync(() => void stored.push(_tag))
      }
      const running = yield* Effect.forkChild(
        uploadFiles({ ...claimed(), isThread: false, parts: [{ part: 1, count: 0, files: [] }], begun: null }).pipe(
          Effect.provideService(Repo, { ...repo, platformUploads }),
          Effect.provideService(PlatformClient, {
            ...platforms,
            twitter: { ...platforms.twitter, upload: () => Deferred.await(uploaded) }
          })
        )
      )
      yield* Queue.take(asked)
      yield* TestClock.adjust(heldCheckInterval)
      yield* Deferred.succeed(uploaded, Uploaded({ uploads: "uploaded" }))
      yield* Fiber.join(running)
      assert.deepStrictEqual(stored, ["Uploaded"])
    })
  )

  it.effect("A process that stops does not wait for the database to store what an upload came to", () =>
    Effect.gen(function* () {
      const repo = yield* Repo
      const platforms = yield* PlatformClient
      const tries = yield* Queue.unbounded<void>()
      const settle = () => Effect.andThen(Queue.offer(tries, undefined), unavailable)
      const platformUploads = { ...repo.platformUploads, isHeld: () => Effect.succeed(true), settle }
      const running = yield* Effect.forkChild(
        uploadFiles({ ...claimed(), isThread: false, parts: [{ part: 1, count: 0, files: [] }], begun: null }).pipe(
          Effect.provideService(Repo, { ...repo, platformUploads }),
          Effect.provideService(PlatformClient, {
            ...platforms,
            twitter: { ...platforms.twitter, upload: () => Effect.succeed(Uploaded({ uploads: "uploaded" })) }
          })
        )
      )
      yield* Queue.take(tries)
      yield* Fiber.interrupt(running)
      assert.strictEqual(yield* Queue.size(tries), 0)
    })
  )
})
