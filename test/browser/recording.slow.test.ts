import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Schema, Stream } from "effect"
import { NodeFileSystem } from "@effect/platform-node"
import { processVideo } from "../../src/media/process/child/video.ts"
import { eraseBytes } from "../../src/media/process/eraseBytes.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"

/** Records forty frames of a canvas, in parts. Returns the file in base 64. */
const record = (codec: string) => `new Promise((resolve) => {
  const canvas = document.createElement("canvas")
  canvas.width = 320
  canvas.height = 240
  const drawing = canvas.getContext("2d")
  const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: "video/webm;codecs=${codec}" })
  const parts = []
  recorder.ondataavailable = ({ data }) => parts.push(data)
  recorder.onstop = async () => {
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
    resolve(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")))
  }
  let frames = 0
  const draw = () => {
    drawing.fillStyle = "hsl(" + frames * 9 + ",90%,50%)"
    drawing.fillRect(0, 0, 320, 240)
    if (++frames < 40) requestAnimationFrame(draw)
    else recorder.stop()
  }
  recorder.start(100)
  draw()
})`

const decodeText = Schema.decodeUnknownSync(Schema.String)

describe.skipIf(!canRunBrowser)("What a browser records, in Chromium (64-bit Linux alone)", () => {
  it.layer(Browser.layer)((it) => {
    it.effect.each(["vp8", "vp9", "av1"])("A recording in %s is read, and sent without the browser's name", (codec) =>
      Effect.gen(function* () {
        const { page } = yield* Browser
        const opened = yield* page()
        const recorded = yield* Effect.promise(() => opened.evaluate(record(codec)))
        const bytes = Buffer.from(decodeText(recorded), "base64")
        const files = yield* FileSystem.FileSystem
        const path = yield* files.makeTempFileScoped()
        yield* files.writeFile(path, bytes)
        const order = { contentType: "video/webm", path, outputDirectory: "/", outputs: {} } as const
        const { erasure, facts } = yield* processVideo(order)
        assert.deepInclude(facts, { type: "video", width: 320, height: 240, videoCodec: codec, audioCodec: null })
        assert.isAbove(facts.durationMs ?? 0, 100)
        const sent = Buffer.concat(yield* Stream.runCollect(eraseBytes(erasure)(Stream.make(bytes))))
        assert.include(bytes.toString("latin1"), "Chrome")
        assert.notInclude(sent.toString("latin1"), "Chrome")
        yield* files.writeFile(path, sent)
        assert.deepStrictEqual((yield* processVideo(order)).facts, facts)
      }).pipe(Effect.provide(NodeFileSystem.layer))
    )
  })
})
