import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { download } from "../../src/outbound/download.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { requirePace } from "../../src/outbound/pace.ts"
import { innerServer } from "./innerServer.ts"

const limit = 100_000

const downloaded = (url: string) =>
  Effect.flatMap(download(url, limit), (bytes) =>
    Stream.runFold(
      bytes,
      () => 0,
      (size, chunk) => size + chunk.length
    )
  ).pipe(
    Effect.scoped,
    Effect.match({ onFailure: (error) => `${error._tag}: ${error.message}`, onSuccess: (size) => `${size} bytes` })
  )

describe("download", () => {
  it.live("A file is streamed, and a response that is none says whether it may be one later", () =>
    Effect.gen(function* () {
      const { port } = yield* innerServer((request, response) => {
        const [, status, size] = (request.url ?? "").split("/").map(Number)
        if (status === 302) response.setHeader("location", `/200/${size}`)
        response.statusCode = status ?? 200
        response.end(Buffer.alloc(size ?? 0))
      })
      const from = (path: string) => downloaded(`http://127.0.0.1:${port}/${path}`)
      assert.strictEqual(yield* from(`200/${limit}`), `${limit} bytes`)
      assert.strictEqual(yield* from("302/5"), "5 bytes")
      assert.strictEqual(yield* from(`200/${limit + 1}`), `ResponseTooLong: The response is longer than ${limit} bytes`)
      assert.strictEqual(yield* from("404/10"), `ResponseRefused: 127.0.0.1:${port} answered 404`)
      assert.strictEqual(yield* from("206/10"), `ResponseRefused: 127.0.0.1:${port} answered 206`)
      assert.strictEqual(yield* from("503/10"), `Unreachable: 127.0.0.1:${port} answered 503`)
      assert.strictEqual(yield* from("429/10"), `Unreachable: 127.0.0.1:${port} answered 429`)
      assert.match(yield* downloaded("http://example.com/a.png"), /^AddressRefused: The URL has to begin with https/)
      assert.match(yield* downloaded("https://10.0.0.1/a.png"), /^AddressRefused: .* public address$/)
    }).pipe(Effect.provide(Outbound.layer({ loopback: true }).pipe(Layer.orDie)))
  )
})

describe("requirePace", () => {
  const pace = { bytesPerSecond: 10, window: Duration.seconds(30) }

  /** Reads chunks of `size` bytes that arrive every `pause` seconds, `count` of them. */
  const read = Effect.fnUntraced(function* (size: number, pause: number, count: number) {
    const chunks = yield* Queue.unbounded<Uint8Array>()
    const reading = yield* Stream.fromQueue(chunks).pipe(
      Stream.take(count),
      (bytes) => requirePace(bytes, pace, () => "too slow" as const),
      Stream.runCount,
      Effect.match({ onFailure: (error) => error, onSuccess: (read) => `${read} chunks` }),
      Effect.forkChild({ startImmediately: true })
    )
    for (let sent = 0; sent < count; sent++) {
      yield* TestClock.adjust(Duration.seconds(pause))
      yield* Queue.offer(chunks, new Uint8Array(size))
      yield* Effect.yieldNow
    }
    return yield* Fiber.join(reading)
  })

  it.effect("A stream that keeps the pace is read to its end, however long that takes", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read(100, 10, 100), "100 chunks")
    })
  )

  it.effect("A stream that dribbles fails after a window", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read(10, 5, 100), "too slow")
    })
  )

  it.effect("A stream that pauses for a window fails", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read(10_000, 31, 3), "too slow")
    })
  )
})
