import { CustomSource } from "mediabunny"
import type { FileHandle } from "node:fs/promises"
import { eraseWithin } from "../eraseBytes.ts"
import type { Erasure } from "./protocol.ts"
import { readBytes } from "./readBytes.ts"

/**
 * The file as it is sent. A library that reads the original may believe parts that are erased, and stops at none: it
 * searches for the next known element after an unknown one, and endlessly if none follows (mediabunny 1.61.0).
 */
export const erasedSource = async (file: FileHandle, erasure: Erasure): Promise<CustomSource> => {
  const { size } = await file.stat()
  return new CustomSource({
    getSize: () => size,
    read: async (start, end) => {
      const bytes = await readBytes(file, start, end)
      eraseWithin(erasure, start, bytes)
      return bytes
    }
  })
}
