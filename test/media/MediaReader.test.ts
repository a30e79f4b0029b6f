import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { MediaReader } from "../../src/media/MediaReader.ts"
import { plainJpeg } from "./sampleFiles.ts"

const prepare = Effect.promise(async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "reader-"))
  const file = path.join(directory, "image")
  await writeFile(file, await plainJpeg())
  const crashing = path.join(directory, "crashing.mjs")
  await writeFile(crashing, "process.kill(process.pid, 'SIGSEGV')")
  return {
    crashing,
    order: { contentType: "image/jpeg", path: file, outputDirectory: directory, outputs: {} } as const
  }
})

describe("MediaReader", () => {
  it.live("A child that crashes fails its file only", () =>
    Effect.gen(function* () {
      const { crashing, order } = yield* prepare
      const read = Effect.flatMap(MediaReader, (reader) => reader.read(order))
      const failed = yield* Effect.flip(Effect.provide(read, MediaReader.layerWith(crashing)))
      assert.strictEqual(failed._tag, "UnreadableFile")
      const outputs = { thumbnail: { longestSide: 64, maxBytes: 10_000, keepsOriginal: false } }
      const answer = yield* Effect.flatMap(MediaReader, (reader) => reader.read({ ...order, outputs })).pipe(
        Effect.provide(MediaReader.layer)
      )
      assert.strictEqual(answer._tag, "Done")
    }).pipe(Effect.provide(Logger.layer([])))
  )
})
