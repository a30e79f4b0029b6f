import { Cause, DateTime, Duration, Effect, Predicate, Stream } from "effect"
import { type DatabaseUnavailable, MediaUnavailable } from "../domain/errors.ts"
import type { MediaId } from "../domain/ids.ts"
import type { Address, RemovedFile } from "../repo/media/Media.ts"
import { Repo } from "../repo/Repo.ts"
import { MediaStore } from "./store/MediaStore.ts"

/** Younger bytes without a reference may still get one. */
const orphanAge = Duration.hours(24)

/** Uploads are abandoned after this time without bytes. */
const staleAge = Duration.hours(1)

const batchSize = 200

/** The database locks the bytes during the removal, so this is below the statement timeout. */
const removalTimeout = Duration.seconds(5)

const releaseBytes = Effect.fnUntraced(function* ({ hash, workspaceId }: Address) {
  const { media } = yield* Repo
  const store = yield* MediaStore
  const remove = store.remove(workspaceId, hash).pipe(
    Effect.timeout(removalTimeout),
    Effect.catchTag("TimeoutError", (cause) => new MediaUnavailable({ operation: "removing a file", cause }))
  )
  return yield* media.removeUnlessKept({ workspaceId, hash }, remove)
})

/** Also removes the bytes that only this file references. Several processes can do this together. */
export const removeFile = Effect.fn("removeFile")(function* ({ hashes, id, workspaceId }: RemovedFile) {
  const { media } = yield* Repo
  yield* Effect.forEach(hashes, (hash) => releaseBytes({ workspaceId, hash }), { discard: true })
  yield* media.forget(workspaceId, id)
})

/** A file that can't be removed must not block the others. */
const orNextTime = <A, R>(removal: Effect.Effect<A, MediaUnavailable | DatabaseUnavailable, R>) =>
  Effect.catchCauseIf(removal, Predicate.not(Cause.hasInterrupts), (cause) =>
    (Cause.hasDies(cause) ? Effect.logError : Effect.logWarning)(
      "The bytes of a file could not be removed; the next sweep tries again",
      cause
    )
  )

const sweepCardPictures = Effect.gen(function* () {
  const { media } = yield* Repo
  let counted: Address | null = null
  do counted = yield* media.countCardPictures(counted, batchSize)
  while (counted !== null)
  let failed = 0
  const sweepBatch = Effect.gen(function* () {
    const expired = yield* media.expiredCardPictures(batchSize, failed)
    const swept = yield* Effect.forEach(expired, (picture) =>
      media.forgetCardPicture(picture).pipe(
        Effect.flatMap((forgotten) => (forgotten ? Effect.asVoid(releaseBytes(picture)) : Effect.void)),
        Effect.as(true),
        orNextTime
      )
    )
    failed += swept.filter((isSwept) => isSwept !== true).length
    return expired.length
  })
  // Pictures that could not be removed are again the first expired pictures, so `failed` skips them.
  yield* Effect.repeat(sweepBatch, { until: (count) => count < batchSize })
})

/** Includes leftovers of uploads that a crash interrupted. */
export const sweepMedia = Effect.gen(function* () {
  const { media } = yield* Repo
  yield* Effect.repeat(media.extendNeeded(batchSize), { until: (count) => count < batchSize })
  yield* Effect.repeat(media.markExpired(batchSize), { until: (count) => count < batchSize })
  let after: MediaId | null = null
  while (true) {
    const removed: ReadonlyArray<RemovedFile> = yield* media.findRemoved(after, batchSize)
    yield* Effect.forEach(removed, (file) => orNextTime(removeFile(file)), { discard: true })
    if (removed.length < batchSize) break
    after = removed.at(-1)?.id ?? null
  }
  yield* sweepCardPictures
}).pipe(Effect.withSpan("sweepMedia"))

export const removeOrphans = Effect.gen(function* () {
  const { media } = yield* Repo
  const store = yield* MediaStore
  const now = yield* DateTime.now
  yield* store.removeStale(DateTime.subtractDuration(now, staleAge))
  const before = DateTime.subtractDuration(now, orphanAge)
  yield* store.list.pipe(
    Stream.filter(({ writtenAt }) => DateTime.isLessThan(writtenAt, before)),
    Stream.grouped(batchSize),
    Stream.mapEffect((files) => media.findUnkept(files)),
    Stream.flattenIterable,
    Stream.runForEach((address) =>
      releaseBytes(address).pipe(
        Effect.tap((removed) => (removed ? Effect.logInfo("Removed bytes that no file keeps", address) : Effect.void)),
        orNextTime
      )
    )
  )
}).pipe(Effect.withSpan("removeOrphans"))
