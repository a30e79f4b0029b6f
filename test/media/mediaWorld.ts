import { NodeFileSystem } from "@effect/platform-node"
import { Effect, FileSystem, Layer, Logger, Schedule } from "effect"
import type { WorkspaceId } from "../../src/domain/ids.ts"
import { directoryStoreLayer } from "../../src/media/store/directory.ts"
import { DiskUsage } from "../../src/media/store/diskSpace.ts"
import { MediaLibrary } from "../../src/media/MediaLibrary.ts"
import { MediaReader } from "../../src/media/process/MediaReader.ts"
import type { MediaStore } from "../../src/media/store/MediaStore.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { type ClientResponse, keyHeaders, send, sendJson } from "../support/http/client.ts"
import { ServerUrl } from "../support/http/server.ts"
import { makeKey, startOnDatabase } from "../support/http/team.ts"

export const quota = 12_000_000

/** A disk that is never full, whatever this machine's is. */
const spaciousDisk = Layer.succeed(DiskUsage, () => Promise.resolve({ free: 1e12, total: 1e12 }))

export const storeLayer = Layer.unwrap(
  Effect.map(
    Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped()),
    (directory) => directoryStoreLayer(`${directory}/media`)
  )
).pipe(Layer.provide(NodeFileSystem.layer))

/** A library with a store in a directory of its own, on a database of its own. Nothing reads its files. */
export const storedLibraryLayer = MediaLibrary.layer(quota).pipe(
  Layer.provideMerge(storeLayer),
  Layer.provideMerge(repoLayer),
  Layer.provideMerge(spaciousDisk),
  Layer.provideMerge(NodeFileSystem.layer),
  Layer.merge(Logger.layer([]))
)

/** As `storedLibraryLayer`, with what reads files. */
export const libraryLayer = MediaReader.layer.pipe(Layer.provideMerge(storedLibraryLayer))

/** A server with a library. */
export const libraryServerLayer = Layer.effect(
  ServerUrl,
  Effect.gen(function* () {
    const media = Layer.succeedContext(yield* Effect.context<MediaLibrary | MediaStore>())
    return yield* startOnDatabase({ media })
  })
)

/** As `libraryLayer`, with a server. */
export const mediaServerLayer = libraryServerLayer.pipe(Layer.provideMerge(libraryLayer))

/** A workspace, and requests with a key of it. */
export const makeCaller = Effect.fn("makeCaller")(function* (
  workspace?: WorkspaceId,
  options: Parameters<typeof makeKey>[1] = {}
) {
  const url = yield* ServerUrl
  const workspaceId = workspace ?? (yield* makeWorkspace())
  const { id: keyId, key } = yield* makeKey(workspaceId, options)
  const headers = keyHeaders(key)
  const upload = (bytes: Uint8Array, alt?: string, name = "file"): Effect.Effect<ClientResponse> => {
    const body = new FormData()
    body.set("file", new Blob([new Uint8Array(bytes)]), name)
    if (alt !== undefined) body.set("alt", alt)
    return send(`${url}/v1/media`, { method: "POST", headers, body })
  }
  /** As `upload`, without a Content-Length. */
  const uploadUndeclared = (bytes: Uint8Array): Effect.Effect<ClientResponse> => {
    const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
    const body = new Blob([start, new Uint8Array(bytes), "\r\n--b--\r\n"]).stream()
    const type = { "content-type": "multipart/form-data; boundary=b" }
    return send(`${url}/v1/media`, { method: "POST", headers: { ...headers, ...type }, body, duplex: "half" })
  }
  const call = (method: string, path: string, body?: unknown) => sendJson(`${url}${path}`, method, headers, body)
  const download = (path: string, more: Readonly<Record<string, string>> = {}) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}${path}`, { headers: { ...headers, ...more } })
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
    })
  return { workspaceId, keyId, upload, uploadUndeclared, call, download, headers, url }
})

/** Repeats an effect until its result is as wanted. */
export const until = <A, E, R>(effect: Effect.Effect<A, E, R>, wanted: (result: A) => boolean) =>
  Effect.repeat(effect, { until: wanted, schedule: Schedule.spaced("10 millis") })
