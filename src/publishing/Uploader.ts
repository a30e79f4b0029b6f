import { Context, Effect, FiberSet, Layer, Option, Queue } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { PlatformClient } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import { ProcessLease } from "./ProcessLease.ts"
import type { Settlements } from "./Settlements.ts"
import { uploadFiles } from "./uploadFiles.ts"
import { makeUploadSlots } from "./uploadSlots.ts"
import { drainTimeout, uploadLease } from "./timing.ts"

/** Uploads the files of posts to their platforms, ahead of the posts' times. */
export class Uploader extends Context.Service<
  Uploader,
  {
    /** Claims uploads up to the free slots and starts them. Returns how many: none while the process has no right to. */
    readonly tick: Effect.Effect<number, DatabaseUnavailable>
    /** Requests a tick. */
    readonly wake: Effect.Effect<void>
    /** Waits until a tick was requested or an upload has ended and freed a slot. */
    readonly woken: Effect.Effect<void>
    /** Waits until no upload is in flight. */
    readonly idle: Effect.Effect<void>
  }
>()("social-publisher/publishing/Uploader") {
  /** Uploads in flight are interrupted when its scope closes, and go back to the queue. */
  static readonly layer = Layer.effect(
    Uploader,
    Effect.gen(function* () {
      const repo = yield* Repo
      const processLease = yield* ProcessLease
      const context = yield* Effect.context<Repo | PlatformClient | Settlements | ProcessLease>()
      const slots = makeUploadSlots()
      const wakeUps = yield* Queue.sliding<void>(1)
      const wake = Effect.asVoid(Queue.offer(wakeUps, undefined))
      const inFlight = yield* FiberSet.make<void>()
      yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.clear(inFlight), drainTimeout))

      const tick = Effect.gen(function* () {
        const owner = yield* processLease.right
        if (Option.isNone(owner)) return 0
        const free = slots.free()
        const limit = Object.values(free.platforms).reduce((sum, count) => sum + count, 0)
        const claims =
          limit > 0 ? yield* repo.uploads.claim(limit, uploadLease, { owner: owner.value, slots: free }) : []
        for (const claim of claims) {
          slots.take(claim)
          const ended = Effect.andThen(
            Effect.sync(() => slots.end(claim)),
            wake
          )
          yield* FiberSet.run(inFlight, uploadFiles(claim).pipe(Effect.provideContext(context), Effect.ensuring(ended)))
        }
        return claims.length
      }).pipe(Effect.uninterruptible, Effect.withSpan("Uploader.tick"))

      return Uploader.of({ tick, wake, woken: Queue.take(wakeUps), idle: FiberSet.awaitEmpty(inFlight) })
    })
  )
}
