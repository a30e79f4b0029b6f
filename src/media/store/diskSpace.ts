import { Context, Effect } from "effect"
import { statfs } from "node:fs/promises"
import { MediaStoreFull, MediaUnavailable } from "../../domain/errors.ts"

/** Below either limit, uploads are refused, because the embedded database may use the same disk. */
const minimumFreeBytes = 2e9
const minimumFreeShare = 0.1

export const DiskUsage = Context.Reference("social-publisher/media/DiskUsage", {
  defaultValue: () => async (directory: string) => {
    const { bavail, blocks, bsize } = await statfs(directory)
    return { free: bavail * bsize, total: blocks * bsize }
  }
})

export const requireDiskSpace = Effect.fnUntraced(function* (directory: string) {
  const measure = yield* DiskUsage
  const { free, total } = yield* Effect.tryPromise({
    try: () => measure(directory),
    catch: (cause) => new MediaUnavailable({ operation: "measuring the disk", cause })
  })
  if (free < minimumFreeBytes || free < total * minimumFreeShare) return yield* new MediaStoreFull()
})
