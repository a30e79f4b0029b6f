import { Effect, Stream } from "effect"
import { MediaTooLarge } from "../../domain/errors.ts"
import type { MediaId, WorkspaceId } from "../../domain/ids.ts"
import { Repo } from "../../repo/Repo.ts"
import { type AcceptedType, maxBytesOf } from "../limits.ts"
import { MediaStore } from "../store/MediaStore.ts"
import { sniff, sniffedBytes } from "./sniff.ts"

const requireSize = (size: number, type: AcceptedType) =>
  size <= maxBytesOf(type)
    ? Effect.void
    : Effect.fail(
        new MediaTooLarge({
          message: `${type} files may have up to ${maxBytesOf(type) / 1e6} MB, but this one is larger`
        })
      )

/**
 * Stores the bytes, and makes the file's row keep them. Refuses bytes as soon as their type is known to be unsupported,
 * or they exceed the type's limit.
 */
export const storeFile = Effect.fn("storeFile")(function* <E, R>(
  workspaceId: WorkspaceId,
  id: MediaId,
  bytes: Stream.Stream<Uint8Array, E, R>
) {
  const store = yield* MediaStore
  const { media } = yield* Repo
  let start = new Uint8Array(0)
  let type: AcceptedType | undefined
  let size = 0

  const tell = Effect.suspend(() =>
    Effect.tap(sniff(start), (told) =>
      Effect.sync(() => {
        type = told
      })
    )
  )
  const check = Effect.fnUntraced(function* (chunk: Uint8Array) {
    size += chunk.length
    if (type === undefined) {
      start = new Uint8Array(Buffer.concat([start, chunk.subarray(0, sniffedBytes)]))
      if (start.length >= sniffedBytes) yield* tell
    }
    if (type !== undefined) yield* requireSize(size, type)
    return chunk
  })

  let contentType: AcceptedType | undefined
  const file = yield* store.write(
    workspaceId,
    Stream.mapEffect(bytes, check),
    Effect.fnUntraced(function* ({ hash }) {
      // A short file gets its type only here. It can't be too large.
      contentType = type ?? (yield* tell)
      yield* media.keep({ workspaceId, hash }, id)
    })
  )
  return { ...file, contentType: contentType ?? "" }
})
