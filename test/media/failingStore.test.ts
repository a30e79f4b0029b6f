import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Logger } from "effect"
import { FetchHttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { truncate } from "node:fs/promises"
import type { WorkspaceId } from "../../src/domain/ids.ts"
import { MediaLibrary } from "../../src/media/MediaLibrary.ts"
import { MediaReader } from "../../src/media/process/MediaReader.ts"
import { takeSteps, takingAll } from "../../src/media/steps.ts"
import { directoryStoreLayer } from "../../src/media/store/directory.ts"
import { DiskUsage } from "../../src/media/store/diskSpace.ts"
import { s3StoreLayer } from "../../src/media/store/s3.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { smallDisk } from "../chaos/support/smallDisk.ts"
import { innerServer } from "../outbound/innerServer.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { startS3Server } from "../support/s3/s3Server.ts"
import { libraryServerLayer, makeCaller } from "./mediaWorld.ts"
import { noise, plainJpeg } from "./sampleFiles.ts"

const quota = 100_000_000
const outbound = Outbound.layer({ loopback: true })
const fetchAll = Effect.provide(takeSteps(takingAll("Fetch")), outbound)
const processAll = Effect.provide(takeSteps(takingAll("Process")), outbound)

const jpeg = (side: number) => Effect.promise(() => noise(side, side).jpeg({ quality: 95 }).toBuffer())

/** What a workspace has in the database, and the bytes of it that count. */
const rowsOf = (workspaceId: WorkspaceId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly id: string; readonly size: number }>`
      SELECT id, size::int AS size FROM media WHERE workspace_id = ${workspaceId}::uuid`
  )

/** Lets files be claimed now that wait for the store. */
const endWaits = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE media SET next_at = created_at`)

/** Runs an effect while there is no directory for what is temporary. */
const withoutTemporaryDirectory = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const before = process.env["TMPDIR"]
      process.env["TMPDIR"] = "/nowhere"
      return before
    }),
    () => effect,
    (before) =>
      Effect.sync(() => {
        if (before === undefined) delete process.env["TMPDIR"]
        else process.env["TMPDIR"] = before
      })
  )

const spaciousDisk = Layer.succeed(DiskUsage, () => Promise.resolve({ free: 1e12, total: 1e12 }))

const base = Layer.mergeAll(repoLayer, spaciousDisk, NodeFileSystem.layer, Logger.layer([]))

describe.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)("A store on a disk that fills up", () => {
  layer(base, { excludeTestServices: true })((it) => {
    it.effect(
      "Whatever writes to it fails clearly or waits, leaves nothing half, and goes on once there is space",
      () =>
        Effect.gen(function* () {
          const files = yield* FileSystem.FileSystem
          const disk = yield* smallDisk(yield* files.makeTempDirectoryScoped(), 16)
          const directory = `${disk.path}/media`
          const incoming = files.readDirectory(`${directory}/incoming`)
          /** Leaves so much space that a file begins to be written. */
          const fillUp = Effect.andThen(
            disk.fill,
            Effect.gen(function* () {
              const { size } = yield* files.stat(`${disk.path}/ballast`)
              yield* Effect.promise(() => truncate(`${disk.path}/ballast`, Number(size) - 40_000))
            })
          )
          const library = MediaLibrary.layer(quota).pipe(Layer.provideMerge(directoryStoreLayer(directory)))
          yield* Effect.gen(function* () {
            const caller = yield* makeCaller()
            const large = yield* jpeg(1200)
            const small = yield* Effect.promise(plainJpeg)
            const show = (id: string) => Effect.map(caller.call("GET", `/v1/media/${id}`), ({ body }) => body.data)

            // Read while the disk is full: what is made of it waits.
            const arrived = (yield* caller.upload(large)).body.data.id
            yield* fillUp
            yield* processAll
            assert.strictEqual((yield* show(arrived)).status, "processing")
            assert.deepStrictEqual(yield* incoming, [])

            // Read while no temporary directory can be made.
            yield* disk.free
            yield* endWaits
            yield* withoutTemporaryDirectory(processAll)
            assert.strictEqual((yield* show(arrived)).status, "processing")
            yield* fillUp

            // Uploaded while the disk is full.
            for (const upload of [caller.upload, caller.uploadUndeclared]) {
              const { body, status } = yield* upload(large)
              assert.deepStrictEqual([status, body.code], [503, "unavailable"])
            }
            assert.lengthOf(yield* rowsOf(caller.workspaceId), 1)
            assert.deepStrictEqual(yield* incoming, [])

            // Fetched while the disk is full.
            const { port } = yield* innerServer((_request, response) => {
              response.writeHead(200, { "content-length": large.byteLength })
              response.end(large)
            })
            const added = yield* caller.call("POST", "/v1/media/from-url", { url: `http://127.0.0.1:${port}/a` })
            yield* fetchAll
            assert.strictEqual((yield* show(added.body.data.id)).status, "processing")
            assert.deepStrictEqual(yield* incoming, [])

            yield* disk.free
            yield* endWaits
            yield* fetchAll
            yield* endWaits
            yield* processAll
            for (const id of [arrived, added.body.data.id]) assert.strictEqual((yield* show(id)).status, "ready")
            assert.strictEqual((yield* caller.upload(small)).status, 201)
            assert.deepStrictEqual(yield* incoming, [])
          }).pipe(
            Effect.provide(libraryServerLayer.pipe(Layer.provideMerge(MediaReader.layer), Layer.provideMerge(library)))
          )
        })
    )
  })
})

layer(base, { excludeTestServices: true })("A bucket that fails while a file is written to it", (it) => {
  it.effect("The upload is refused, keeps no room and leaves nothing, and the next one is stored", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const options = yield* startS3Server
      const local = yield* files.makeTempDirectoryScoped()
      let failing = true
      let parts = 0
      const send: typeof globalThis.fetch = async (input, init) => {
        if (failing && init?.method === "PUT" && new Request(input).url.includes("partNumber=2")) {
          parts += 1
          return new Response("<Error><Code>InternalError</Code></Error>", { status: 500 })
        }
        return globalThis.fetch(input, init)
      }
      const library = MediaLibrary.layer(quota).pipe(Layer.provideMerge(s3StoreLayer(options, local)))
      yield* Effect.gen(function* () {
        const caller = yield* makeCaller()
        // More than one part.
        const large = yield* jpeg(3500)
        assert.isAbove(large.byteLength, 8 * 1024 * 1024)
        const { body, status } = yield* caller.upload(large)
        assert.deepStrictEqual([status, body.code], [503, "unavailable"])
        assert.isAbove(parts, 0)
        assert.deepStrictEqual(yield* rowsOf(caller.workspaceId), [])
        assert.deepStrictEqual(yield* files.readDirectory(`${local}/incoming`), [])
        failing = false
        assert.strictEqual((yield* caller.upload(large)).status, 201)
      }).pipe(
        Effect.provide(libraryServerLayer.pipe(Layer.provideMerge(library))),
        Effect.provideService(FetchHttpClient.Fetch, send)
      )
    })
  )
})
