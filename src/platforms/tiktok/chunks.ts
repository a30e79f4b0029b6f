import * as limits from "./limits.ts"

/** The chunks of a video, in order. The last one takes the rest. */
export interface Chunks {
  readonly count: number
  /** In bytes. */
  readonly size: number
}

/**
 * TikTok's own rule: the count is the video's size divided by the chunk's size, rounded down. Chunks are as small as
 * that allows, so that each is sent in time, and the last is hardly larger than the others.
 */
export const chunksOf = (videoSize: number): Chunks => {
  const count = Math.min(limits.chunks, Math.max(1, Math.floor(videoSize / limits.chunkBytes)))
  return { count, size: Math.floor(videoSize / count) }
}

export interface ByteRange {
  readonly offset: number
  readonly length: number
}

export const chunkAt = (videoSize: number, index: number): ByteRange => {
  const { count, size } = chunksOf(videoSize)
  const offset = index * size
  return { offset, length: index === count - 1 ? videoSize - offset : size }
}

export const lastChunk = (videoSize: number): ByteRange => chunkAt(videoSize, chunksOf(videoSize).count - 1)

export const contentRange = ({ length, offset }: ByteRange, videoSize: number): string =>
  `bytes ${offset}-${offset + length - 1}/${videoSize}`

/**
 * The number of chunks that TikTok has, by the Content-Range of a 416: `bytes 0-{UPLOADED}/{TOTAL}`. The pages leave
 * open if the number is that of the bytes or of the last byte. Undefined if it is at no chunk's end.
 */
export const takenChunks = (header: string | undefined, videoSize: number): number | undefined => {
  const uploaded = /^bytes 0-(\d{1,15})\/\d{1,15}$/.exec(header ?? "")?.[1]
  if (uploaded === undefined) return undefined
  const { count, size } = chunksOf(videoSize)
  if (Number(uploaded) >= videoSize - 1 && Number(uploaded) <= videoSize) return count
  const taken = Math.round(Number(uploaded) / size)
  return taken < count && Math.abs(taken * size - Number(uploaded)) <= 1 ? taken : undefined
}
