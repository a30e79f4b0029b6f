import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { WorkspaceId } from "../../../src/domain/ids.ts"
import { MediaReader } from "../../../src/media/process/MediaReader.ts"
import { plainJpeg } from "../sampleFiles.ts"

const turn = { lane: "large", workspaceId: WorkspaceId.make("01a1fc17-0000-7000-8000-000000000001") } as const

const outputs = { thumbnail: { longestSide: 64, maxBytes: 10_000, keepsOriginal: false } }

/** An order, and another program than the one that takes orders. */
const prepare = (source: string) =>
  Effect.gen(function* () {
    const directory = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(path.join(tmpdir(), "reader-"))),
      (made) => Effect.promise(() => rm(made, { recursive: true }))
    )
    const file = path.join(directory, "image")
    const program = path.join(directory, "program.mjs")
    yield* Effect.promise(async () => {
      await writeFile(file, await plainJpeg())
      await writeFile(program, source)
    })
    return { order: { contentType: "image/jpeg", path: file, outputDirectory: directory, outputs } as const, program }
  })

describe("MediaReader", () => {
  it.live.each([
    ["that crashes", "process.kill(process.pid, 'SIGSEGV')", "UnreadableFile", "failed"],
    [
      "that computes for longer than a file may take",
      "while (true) {}",
      "UnreadableFile",
      "1 seconds of processor time"
    ],
    [
      "that needs too much memory",
      "const kept = []; while (true) kept.push(Array.from({ length: 100_000 }, Math.random))",
      "UnreadableFile",
      "too much memory"
    ],
    ["that fails by itself", "throw new Error('No image')", "UnreadableFile", "failed"],
    ["that the system ends", "process.kill(process.pid, 'SIGKILL')", "ReadingEnded", "the system ended"],
    ["whose system fails", "process.exit(75)", "ReadingEnded", "the system failed"],
    ["that can't be run", "process.exit(126)", "ReadingEnded", "started"]
  ] as const)(
    "A child %s fails its file, or leaves it for later where the file is not to blame",
    ([, source, tag, reason]) =>
      Effect.gen(function* () {
        const { order, program } = yield* prepare(source)
        const read = Effect.flatMap(MediaReader, (reader) => reader.read(order, turn))
        const failed = yield* Effect.flip(
          Effect.provide(read, MediaReader.layerWith(program, source.includes("kept") ? 30 : 1))
        )
        assert.strictEqual(failed._tag, tag)
        assert.include(failed.message, reason)
      }).pipe(Effect.provide(Logger.layer([])))
  )

  it.effect("A child that hangs is ended, and its file may be read later", () =>
    Effect.gen(function* () {
      const { order, program } = yield* prepare("setInterval(() => {}, 1e9)")
      const read = Effect.flatMap(MediaReader, (reader) => reader.read(order, turn))
      const reading = yield* Effect.provide(read, MediaReader.layerWith(program)).pipe(
        Effect.flip,
        Effect.forkChild({ startImmediately: true })
      )
      yield* TestClock.adjust("3 minutes")
      assert.strictEqual((yield* Fiber.join(reading))._tag, "ReadingEnded")
    })
  )

  it.live("A picture that is shown is read while large files are, and large files one at a time", () =>
    Effect.gen(function* () {
      const { order, program } = yield* prepare(`
        const parts = []
        for await (const part of process.stdin) parts.push(part)
        const { contentType } = JSON.parse(Buffer.concat(parts).toString())
        if (contentType === "image/png") setInterval(() => {}, 1e9)
        else process.exit(75)`)
      yield* Effect.gen(function* () {
        const { read } = yield* MediaReader
        for (const lane of ["large", "large", "small"] as const) {
          yield* Effect.forkChild(Effect.ignore(read({ ...order, contentType: "image/png" }, { ...turn, lane })))
        }
        const shown = yield* Effect.flip(read(order, { ...turn, lane: "shown" }))
        assert.strictEqual(shown._tag, "ReadingEnded")
      }).pipe(Effect.provide(MediaReader.layerWith(program)))
    }).pipe(Effect.provide(Logger.layer([])))
  )

  it.live("An image is read once the system has room for what is made of it", () =>
    Effect.gen(function* () {
      const { order } = yield* prepare("")
      const reader = yield* MediaReader
      const failed = yield* Effect.flip(reader.read({ ...order, outputDirectory: path.join(order.path, "none") }, turn))
      assert.strictEqual(failed._tag, "ReadingEnded")
      assert.strictEqual((yield* reader.read(order, turn))._tag, "Done")
    }).pipe(Effect.provide([MediaReader.layer, Logger.layer([])]))
  )
})
