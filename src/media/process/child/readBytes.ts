import type { FileHandle } from "node:fs/promises"

/** Fails if the file ends within the range. */
export const readBytes = async (file: FileHandle, start: number, end: number): Promise<Buffer> => {
  const bytes = Buffer.alloc(end - start)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
  if (bytesRead < bytes.length) throw new Error("The file is cut off")
  return bytes
}
