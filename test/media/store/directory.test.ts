import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, FileSystem, Layer, Option, PlatformError, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { nextWorkspaceId } from "../../../src/domain/ids.ts"
import { directoryStoreLayer } from "../../../src/media/store/directory.ts"
import { DiskUsage } from "../../../src/media/store/diskSpace.ts"
import { MediaStore } from "../../../src/media/store/MediaStore.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const bytes = (text: string) => Stream.encodeText(Stream.fromIterable([text.slice(0, 3), text.slice(3)]))
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex")

const forgetStore = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM media_store`)

/** A directory of its own, for a database that knows no store yet. */
const withDirectory = Effect.gen(function* () {
  yield* forgetStore
  const files = yield* FileSystem.FileSystem
  return `${yield* files.makeTempDirectoryScoped()}/media`
})

/** Every file under a directory, without the store's id. */
const filesUnder = Effect.fn(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  if (!(yield* files.exists(directory))) return []
  const names = yield* files.readDirectory(directory, { recursive: true })
  const found = yield* Effect.filter(names, (name) =>
    Effect.map(files.stat(`${directory}/${name}`), ({ type }) => type === "File")
  )
  return found.filter((name) => name !== "store-id")
})

layer(Layer.merge(repoLayer, NodeFileSystem.layer), { excludeTestServices: true })("directoryStoreLayer", (it) => {
  it.effect("What is written is read again by its hash, whole and in part, and by its own workspace only", () =>
    Effect.gen(function* () {
      const directory = yield* withDirectory
      yield* Effect.gen(function* () {
        const store = yield* MediaStore
        const workspaceId = yield* nextWorkspaceId
        const file = yield* store.write(workspaceId, bytes("0123456789"))
        assert.deepStrictEqual(file, { hash: hashOf("0123456789"), size: 10 })
        const read = (range?: { offset: number; length: number }) =>
          Stream.mkString(Stream.decodeText(store.read(workspaceId, file.hash, range)))
        assert.strictEqual(yield* read(), "0123456789")
        assert.strictEqual(yield* read({ offset: 3, length: 4 }), "3456")
        const stranger = yield* Effect.flip(Stream.runDrain(store.read(yield* nextWorkspaceId, file.hash)))
        assert.strictEqual(stranger._tag, "MediaMissing")
        const listed = yield* Stream.runCollect(store.list)
        assert.deepStrictEqual(
          listed.map(({ hash, workspaceId: owner }) => [owner, hash]),
          [[workspaceId, file.hash]]
        )
        yield* store.remove(workspaceId, file.hash)
        yield* store.remove(workspaceId, file.hash)
        assert.isFalse(yield* store.has(workspaceId, file.hash))
      }).pipe(Effect.provide(directoryStoreLayer(directory)))
    })
  )

  it.effect("Bytes that stop arriving leave nothing behind", () =>
    Effect.gen(function* () {
      const directory = yield* withDirectory
      yield* Effect.gen(function* () {
        const store = yield* MediaStore
        const workspaceId = yield* nextWorkspaceId
        const cutOff = Stream.concat(bytes("half of it"), Stream.fail("cut off" as const))
        assert.strictEqual(yield* Effect.flip(store.write(workspaceId, cutOff)), "cut off")
        assert.deepStrictEqual(yield* filesUnder(directory), [])

        const begun = yield* Deferred.make<void>()
        const silent = Stream.concat(
          bytes("half of it"),
          Stream.fromEffect(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        )
        const writing = yield* Effect.forkChild(store.write(workspaceId, silent))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(writing)
        assert.deepStrictEqual(yield* filesUnder(directory), [])
      }).pipe(Effect.provide(directoryStoreLayer(directory)))
    })
  )

  it.effect("A reference that can't be stored leaves no bytes behind", () =>
    Effect.gen(function* () {
      const directory = yield* withDirectory
      yield* Effect.gen(function* () {
        const store = yield* MediaStore
        const failed = yield* Effect.flip(
          store.write(yield* nextWorkspaceId, bytes("text"), (file) => Effect.fail(file.hash))
        )
        assert.strictEqual(failed, hashOf("text"))
        assert.deepStrictEqual(yield* filesUnder(directory), [])
      }).pipe(Effect.provide(directoryStoreLayer(directory)))
    })
  )

  it.effect("A disk that is full while bytes arrive refuses them, and nothing of them stays", () =>
    Effect.gen(function* () {
      const directory = yield* withDirectory
      const files = yield* FileSystem.FileSystem
      const noSpace = PlatformError.systemError({
        _tag: "Unknown",
        module: "FileSystem",
        method: "writeAll",
        cause: Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" })
      })
      const fullDisk = FileSystem.FileSystem.of({
        ...files,
        open: (path, options) =>
          Effect.map(files.open(path, options), (file) => ({
            ...file,
            stat: file.stat,
            sync: file.sync,
            writeAll: () => Effect.fail(noSpace)
          }))
      })
      yield* Effect.gen(function* () {
        const store = yield* MediaStore
        const error = yield* Effect.flip(store.write(yield* nextWorkspaceId, bytes("text")))
        assert.strictEqual(error._tag, "MediaStoreFull")
        assert.deepStrictEqual(yield* filesUnder(directory), [])
      }).pipe(Effect.provide(directoryStoreLayer(directory, Layer.succeed(FileSystem.FileSystem, fullDisk))))
    })
  )

  it.effect("A disk with less than 2 GB or a tenth free takes nothing more", () =>
    Effect.gen(function* () {
      const directory = yield* withDirectory
      const requireSpace = (free: number, total: number) =>
        Effect.flatMap(MediaStore, (store) => Effect.exit(store.requireSpace)).pipe(
          Effect.provide(directoryStoreLayer(directory)),
          Effect.provideService(DiskUsage, () => Promise.resolve({ free, total })),
          Effect.map(Exit.isSuccess)
        )
      assert.isTrue(yield* requireSpace(2.1e9, 20e9))
      assert.isFalse(yield* requireSpace(1.9e9, 10e9))
      assert.isFalse(yield* requireSpace(9e9, 100e9))
    })
  )

  it.effect("What a crash left of arriving bytes is removed once nothing was written to it for a while", () =>
    Effect.gen(function* () {
      const directory = yield* withDirectory
      const files = yield* FileSystem.FileSystem
      yield* files.makeDirectory(`${directory}/incoming`, { recursive: true })
      yield* files.writeFileString(`${directory}/incoming/half`, "half")
      yield* Effect.gen(function* () {
        const store = yield* MediaStore
        const now = yield* DateTime.now
        yield* store.removeStale(DateTime.subtract(now, { hours: 1 }))
        assert.deepStrictEqual(yield* filesUnder(directory), ["incoming/half"])
        yield* store.removeStale(DateTime.add(now, { hours: 1 }))
        assert.deepStrictEqual(yield* filesUnder(directory), [])
      }).pipe(Effect.provide(directoryStoreLayer(directory)))
    })
  )

  it.effect("A start on the store of this database succeeds, on any other it stops", () =>
    Effect.gen(function* () {
      const own = yield* withDirectory
      const files = yield* FileSystem.FileSystem
      const { media } = yield* Repo
      const start = (directory: string) =>
        Effect.scoped(Effect.asVoid(Layer.build(directoryStoreLayer(directory)))).pipe(
          Effect.as("started"),
          Effect.catchTag("ForeignMediaStore", ({ message }) => Effect.succeed(message))
        )
      const write = (directory: string) =>
        Effect.flatMap(MediaStore, (store) =>
          Effect.flatMap(nextWorkspaceId, (id) => store.write(id, bytes("text")))
        ).pipe(Effect.provide(directoryStoreLayer(directory)))

      assert.strictEqual(yield* start(own), "started")
      yield* write(own)
      assert.strictEqual(yield* start(own), "started")

      const empty = `${own}-empty`
      assert.include(yield* start(empty), `${empty}: does not hold the media of this database`)

      const other = `${own}-other`
      yield* forgetStore
      yield* write(other)
      assert.include(yield* start(own), `${own}: holds the media of another database`)
      yield* forgetStore
      assert.include(yield* start(own), `remove its file store-id`)
      yield* files.remove(`${own}/store-id`)
      yield* write(own)
      assert.strictEqual(yield* start(own), "started")
      assert.strictEqual(
        (yield* files.readFileString(`${own}/store-id`)).trim(),
        Option.getOrThrow(yield* media.findStoreId)
      )
    })
  )

  it.effect("A process whose directory is not the one that got the first file refuses to write", () =>
    Effect.gen(function* () {
      const directory = yield* withDirectory
      yield* Effect.gen(function* () {
        const store = yield* MediaStore
        yield* Effect.flatMap(MediaStore, (other) =>
          Effect.flatMap(nextWorkspaceId, (id) => other.write(id, bytes("text")))
        ).pipe(Effect.provide(Layer.fresh(directoryStoreLayer(`${directory}-other`))))
        const error = yield* Effect.flip(store.write(yield* nextWorkspaceId, bytes("text")))
        assert.strictEqual(error._tag, "MediaUnavailable")
        assert.deepStrictEqual(yield* filesUnder(directory), [])
      }).pipe(Effect.provide(directoryStoreLayer(directory)))
    })
  )
})
