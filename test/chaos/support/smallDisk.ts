import { Effect } from "effect"
import { execFile } from "node:child_process"
import { chmod, mkdir, open, rm } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

const block = new Uint8Array(64 * 1024)

/** Writes until the disk is full. */
const fill = async (file: string): Promise<void> => {
  await using ballast = await open(file, "w")
  for (const size of [block.length, 4096]) {
    try {
      for (;;) await ballast.write(block.subarray(0, size))
    } catch {
      // The disk is full.
    }
  }
}

/** Mounts a small disk in memory (tmpfs), which can be filled up. Needs Linux and root. */
export const smallDisk = Effect.fn("smallDisk")(function* (directory: string, megabytes: number) {
  const mounted = path.join(directory, "disk")
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      await mkdir(mounted)
      await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", mounted])
      await chmod(mounted, 0o711)
      await chmod(directory, 0o711)
    }),
    () => Effect.promise(() => run("umount", ["--lazy", mounted]))
  )
  const ballast = path.join(mounted, "ballast")
  return {
    path: mounted,
    fill: Effect.promise(() => fill(ballast)),
    free: Effect.promise(() => rm(ballast, { force: true }))
  }
})
