import { existsSync, statfsSync } from "node:fs"

export const sharedMemory = "/dev/shm"

/** True if this much memory is free there. A container has 64 MB unless told otherwise. */
export const hasSharedMemory = (gibibytes: number): boolean => {
  if (!existsSync(sharedMemory)) return false
  const { bavail, bsize } = statfsSync(sharedMemory)
  return bavail * bsize > gibibytes * 2 ** 30
}
