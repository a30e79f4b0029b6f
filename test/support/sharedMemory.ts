import { existsSync, statfsSync } from "node:fs"

export const sharedMemory = "/dev/shm"

/** False in a container with the usual 64 MB. */
export const hasSharedMemory = (gibibytes: number): boolean => {
  if (!existsSync(sharedMemory)) return false
  const { bavail, bsize } = statfsSync(sharedMemory)
  return bavail * bsize > gibibytes * 2 ** 30
}
