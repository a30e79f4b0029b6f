import { box } from "../sampleFiles.ts"

interface Part {
  readonly type: string
  readonly content: Buffer
}

const partsOf = (bytes: Buffer): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const end = at + bytes.readUInt32BE(at)
    parts.push({ type: bytes.toString("latin1", at + 4, at + 8), content: bytes.subarray(at + 8, end) })
  }
  return parts
}

/** Changes the content of the boxes at a path of types, and the lengths of what holds them. */
export const changeBoxes = (
  bytes: Buffer,
  [type, ...rest]: ReadonlyArray<string>,
  change: (content: Buffer) => Buffer
): Buffer =>
  Buffer.concat(
    partsOf(bytes).map((part) =>
      box(
        part.type,
        part.type !== type
          ? part.content
          : rest.length === 0
            ? change(part.content)
            : changeBoxes(part.content, rest, change)
      )
    )
  )

export const samplesPath = ["moov", "trak", "mdia", "minf", "stbl"]

/** Moves the samples that the index names. */
export const moveSamples = (video: Buffer, by: number): Buffer =>
  changeBoxes(video, [...samplesPath, "stco"], (content) => {
    const moved = Buffer.from(content)
    for (let entry = 0; entry < content.readUInt32BE(4); entry++) {
      moved.writeUInt32BE(moved.readUInt32BE(8 + entry * 4) + by, 8 + entry * 4)
    }
    return moved
  })

/** Adds bytes to a box before the samples. */
export const addTo = (video: Buffer, path: ReadonlyArray<string>, ...added: ReadonlyArray<Buffer>): Buffer => {
  const longer = changeBoxes(video, path, (content) => Buffer.concat([content, ...added]))
  return moveSamples(longer, longer.length - video.length)
}
