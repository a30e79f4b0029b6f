import { Context, type Duration, Effect, FiberSet, Layer, Option, Queue } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { UploadClaim } from "../repo/platformUploads/PlatformUploads.ts"
import { Repo } from "../repo/Repo.ts"
import { makeWorker, type Worker } from "../worker/makeWorker.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { uploadFiles } from "./uploadFiles.ts"
import { makeUploadSlots } from "./uploadSlots.ts"
import { uploadLease } from "./timing.ts"

/** Each upload's end requests a tick at once, because uploads are few and long. */
const batching = { endsPerTick: 1, endsDelay: 0 } as const

/** Uploads are interrupted at once, because an interrupted upload returns to the queue, and none of it is visible. */
const drainTimeout = 0

export class Uploader extends Context.Service<Uploader, Worker<DatabaseUnavailable>>()(
  "social-publisher/publishing/Uploader"
) {
  static readonly layer = Layer.effect(
    Uploader,
    Effect.gen(function* () {
      const { platformUploads } = yield* Repo
      const processLease = yield* ProcessLease
      const slots = makeUploadSlots()

      const claim = Effect.gen(function* () {
        const owner = yield* processLease.right
        if (Option.isNone(owner)) return []
        const free = slots.free()
        const limit = Object.values(free.platforms).reduce((sum, count) => sum + count, 0)
        return limit > 0 ? yield* platformUploads.claim(limit, uploadLease, { owner: owner.value, slots: free }) : []
      })

      const asks = yield* Queue.unbounded<Duration.Duration>()
      const worker = yield* makeWorker({
        name: "Uploader",
        batching,
        drainTimeout,
        claim,
        begin: (claimed: UploadClaim) => {
          slots.take(claimed)
          return uploadFiles(claimed).pipe(
            Effect.ensuring(Effect.sync(() => slots.end(claimed))),
            Effect.flatMap((askAfter) => (askAfter === null ? Effect.void : Queue.offer(asks, askAfter))),
            // True, because the upload's target may be due now.
            Effect.as(true)
          )
        }
      })
      // A regular tick may be too late for a file that is processed within seconds.
      const alarms = yield* FiberSet.make()
      const setAlarm = Effect.flatMap(Queue.take(asks), (askAfter) =>
        FiberSet.run(alarms, Effect.delay(worker.wake, askAfter))
      )
      yield* Effect.forkScoped(Effect.forever(setAlarm))
      return worker
    })
  )
}
