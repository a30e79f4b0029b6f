import { Effect, Stream } from "effect"
import type { Headers } from "effect/http"
import { ResponseTooLong } from "./errors.ts"

export const tooLong = (maxBytes: number) =>
  new ResponseTooLong({ message: `The response is longer than ${maxBytes} bytes`, maxBytes })

/** 0 without a Content-Length. */
export const declaredLength = (headers: Headers.Headers): number => {
  const length = headers["content-length"] ?? ""
  return /^\d{1,15}$/.test(length) ? Number(length) : 0
}

export const limitBody = <E>(body: Stream.Stream<Uint8Array, E>, maxBytes: number) =>
  Stream.suspend(() => {
    let size = 0
    return Stream.mapEffect(body, (chunk) => {
      size += chunk.byteLength
      return size > maxBytes ? Effect.fail(tooLong(maxBytes)) : Effect.succeed(chunk)
    })
  })

/** Leaves the rest unread. */
export const readBytes = <E>(body: Stream.Stream<Uint8Array, E>, maxBytes: number) =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    return body.pipe(
      Stream.runForEachWhile((chunk) =>
        Effect.sync(() => {
          chunks.push(chunk.subarray(0, maxBytes - size))
          size += chunk.byteLength
          return size < maxBytes
        })
      ),
      Effect.map(() => new Uint8Array(Buffer.concat(chunks)))
    )
  })
