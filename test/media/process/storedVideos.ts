import { Effect, Stream } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

/** Stores a file for as long as the scope is open. */
export const store = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "video-"))),
    (made) => Effect.promise(() => rm(made, { recursive: true }))
  )
  const file = path.join(directory, "video")
  yield* Effect.promise(() => writeFile(file, bytes))
  return file
})

/** Chunks whose ends are at odd places. */
export const inChunks = (bytes: Buffer, size: number) =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size)
    )
  )
