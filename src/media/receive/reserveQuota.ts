import { Effect, Stream } from "effect"
import type { ArrivingFile } from "../../repo/media/Media.ts"
import { Repo } from "../../repo/Repo.ts"
import { maxVideoBytes } from "../../domain/plain/limits.ts"

/** The bytes to reserve in advance: few enough for a nearly full quota, and enough that a file takes few statements. */
const smallestAhead = 1_000_000
const aheadOf = (size: number) => Math.max(smallestAhead, size / 4)

/** Reserves bytes as they arrive, before they are written. `declared` bytes are reserved already. */
export const reserveQuota = <E, R>(
  file: ArrivingFile,
  { declared, quota }: { readonly declared: number; readonly quota: number },
  bytes: Stream.Stream<Uint8Array, E, R>
) => {
  let reserved = declared
  let size = 0
  return Stream.mapEffect(
    bytes,
    Effect.fnUntraced(function* (chunk: Uint8Array) {
      size += chunk.length
      if (size <= reserved) return chunk
      const most = Math.min(Math.ceil(size + aheadOf(size)), Math.max(size, maxVideoBytes))
      const { media } = yield* Repo
      reserved = yield* media.reserve(file, { least: size, most }, quota)
      return chunk
    })
  )
}
