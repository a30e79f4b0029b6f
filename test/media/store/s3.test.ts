import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, FileSystem, Layer, Redacted, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { nextWorkspaceId } from "../../../src/domain/ids.ts"
import type { BucketOptions } from "../../../src/media/store/bucket.ts"
import { DiskUsage } from "../../../src/media/store/diskSpace.ts"
import { MediaStore } from "../../../src/media/store/MediaStore.ts"
import { s3StoreLayer } from "../../../src/media/store/s3.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { startS3Server } from "../../support/s3/s3Server.ts"

const bytes = (text: string) => Stream.encodeText(Stream.fromIterable([text.slice(0, 3), text.slice(3)]))

const forgetStore = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM media_store`)

const storeOf = (options: BucketOptions) =>
  Layer.unwrap(
    Effect.map(
      Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped()),
      (directory) => s3StoreLayer(options, directory)
    )
  )

/** A server and a store in it, for a database that knows no store yet. */
const withStore = <A, E, R>(use: (options: BucketOptions) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* forgetStore
    const options = yield* startS3Server
    return yield* Effect.provide(use(options), storeOf(options))
  })

const listed = Effect.flatMap(MediaStore, (store) =>
  Effect.map(Stream.runCollect(store.list), (files) => files.map(({ hash, workspaceId }) => [workspaceId, hash]))
)

const spaciousDisk = Layer.succeed(DiskUsage, () => Promise.resolve({ free: 1e12, total: 1e12 }))

layer(Layer.mergeAll(repoLayer, NodeFileSystem.layer, spaciousDisk), { excludeTestServices: true })(
  "s3StoreLayer",
  (it) => {
    it.effect("What is written is read again by its hash, whole and in part, and by its own workspace only", () =>
      withStore(
        Effect.fnUntraced(function* () {
          const store = yield* MediaStore
          const files = yield* FileSystem.FileSystem
          const workspaceId = yield* nextWorkspaceId
          const { hash } = yield* store.write(workspaceId, bytes("0123456789"))
          const read = (range?: { offset: number; length: number }) =>
            Stream.mkString(Stream.decodeText(store.read(workspaceId, hash, range)))
          assert.strictEqual(yield* read(), "0123456789")
          assert.strictEqual(yield* read({ offset: 3, length: 4 }), "3456")
          assert.strictEqual(yield* files.readFileString(yield* store.localCopy(workspaceId, hash)), "0123456789")
          const stranger = yield* Effect.flip(Stream.runDrain(store.read(yield* nextWorkspaceId, hash)))
          assert.strictEqual(stranger._tag, "MediaMissing")
          assert.isTrue(yield* store.has(workspaceId, hash))
          assert.deepStrictEqual(yield* listed, [[workspaceId, hash]])
          yield* store.remove(workspaceId, hash)
          yield* store.remove(workspaceId, hash)
          assert.isFalse(yield* store.has(workspaceId, hash))
          assert.deepStrictEqual(yield* listed, [])
        })
      )
    )

    it.effect("A file of several parts is whole, and its ranges cross the parts", () =>
      withStore(
        Effect.fnUntraced(function* () {
          const store = yield* MediaStore
          const workspaceId = yield* nextWorkspaceId
          const chunks = Array.from({ length: 20 }, (_, index) => new Uint8Array(1_048_577).fill(index))
          const expected = Buffer.concat(chunks)
          const file = yield* store.write(workspaceId, Stream.fromIterable(chunks))
          assert.deepStrictEqual(file, {
            hash: createHash("sha256").update(expected).digest("hex"),
            size: expected.length
          })
          const read = Buffer.concat(yield* Stream.runCollect(store.read(workspaceId, file.hash)))
          assert.isTrue(read.equals(expected))
          const range = { offset: 8_388_600, length: 20 }
          const part = Buffer.concat(yield* Stream.runCollect(store.read(workspaceId, file.hash, range)))
          assert.deepStrictEqual(part, expected.subarray(range.offset, range.offset + range.length))
        })
      )
    )

    it.effect("Bytes that stop arriving, and a reference that can't be stored, leave nothing behind", () =>
      withStore(
        Effect.fnUntraced(function* () {
          const store = yield* MediaStore
          const workspaceId = yield* nextWorkspaceId
          const cutOff = Stream.concat(bytes("half of it"), Stream.fail("cut off" as const))
          assert.strictEqual(yield* Effect.flip(store.write(workspaceId, cutOff)), "cut off")
          const begun = yield* Deferred.make<void>()
          const registering = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
          const writing = yield* Effect.forkChild(store.write(workspaceId, bytes("text"), () => registering))
          yield* Deferred.await(begun)
          yield* Fiber.interrupt(writing)
          const unregistered = yield* Effect.flip(store.write(workspaceId, bytes("text"), () => Effect.fail("no row")))
          assert.strictEqual(unregistered, "no row")
          assert.deepStrictEqual(yield* listed, [])
        })
      )
    )

    it.effect("A start on a bucket that is not this database's, or that can't be used, stops with one line", () =>
      withStore(
        Effect.fnUntraced(function* (options) {
          const start = (changed: Partial<BucketOptions>) =>
            Effect.scoped(Effect.asVoid(Layer.build(Layer.fresh(storeOf({ ...options, ...changed }))))).pipe(
              Effect.as("started"),
              Effect.catchTags({
                ForeignMediaStore: ({ message }) => Effect.succeed(message),
                UnusableBucket: ({ message }) => Effect.succeed(message)
              })
            )
          yield* (yield* MediaStore).write(yield* nextWorkspaceId, bytes("text"))
          assert.strictEqual(yield* start({}), "started")
          assert.include(yield* start({ bucket: "other" }), "s3://other: does not hold the media of this database")
          assert.include(yield* start({ bucket: "missing" }), "MEDIA_S3_BUCKET: ")
          assert.include(yield* start({ secretAccessKey: Redacted.make("wrong") }), "MEDIA_S3_ACCESS_KEY_ID: ")
          assert.include(
            yield* start({ endpoint: "http://127.0.0.1:1" }),
            "MEDIA_S3_ENDPOINT: http://127.0.0.1:1 can't"
          )
          yield* forgetStore
          assert.include(yield* start({}), "s3://media: holds the media of another database")
        })
      )
    )
  }
)
