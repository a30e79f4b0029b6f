/** A master element, whose own children are chosen. */
export type Holder =
  | "file"
  | "header"
  | "segment"
  | "seekHead"
  | "seek"
  | "info"
  | "tracks"
  | "track"
  | "video"
  | "colour"
  | "mastering"
  | "projection"
  | "audio"
  | "encodings"
  | "encoding"
  | "compression"
  | "cluster"
  | "group"
  | "additions"
  | "addition"
  | "cues"
  | "cue"
  | "cuePositions"

/**
 * `number`: at most eight bytes. `name`: a text that players need. `blank`: a text that is zeroed, in an element that
 * must be there. `private`: a codec's configuration. `short`: erased if it is long. `played`: stays as it is, because
 * its parent was checked.
 */
type Leaf = "number" | "name" | "blank" | "private" | "short" | "simpleBlock" | "played"
export type Kept = Leaf | { readonly holds: Holder }

const holds = (holder: Holder): Kept => ({ holds: holder })

const numbers = (...ids: ReadonlyArray<number>) => ids.map((id) => [id, "number"] as const)

export const ids = {
  header: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  seekId: 0x53ab,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codec: 0x86,
  defaultDuration: 0x23e383,
  video: 0xe0,
  alphaMode: 0x53c0,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  group: 0xa0,
  block: 0xa1,
  blockDuration: 0x9b,
  referenceBlock: 0xfb,
  blockAddId: 0xee,
  cues: 0x1c53bb6b
} as const

/** Their ids end a cluster or segment of unknown length. Chapters, attachments and tags are erased. */
export const topIds: ReadonlySet<number> = new Set([
  ids.header,
  ids.segment,
  ids.seekHead,
  ids.info,
  ids.tracks,
  ids.cluster,
  ids.cues,
  0x1043a770,
  0x1941a469,
  0x1254c367
])

/** The segment's parts that remain, so that an index of parts names no others. */
export const keptParts: ReadonlySet<number> = new Set([ids.seekHead, ids.info, ids.tracks, ids.cluster, ids.cues])

/** Elements that may repeat in their parent. For others, only the first counts. */
export const repeated: ReadonlySet<number> = new Set([
  ids.seekHead,
  0x4dbb,
  ids.track,
  ids.cluster,
  ids.simpleBlock,
  ids.group,
  ids.referenceBlock,
  0xa6,
  0xbb,
  0xb7,
  0x6240
])

/**
 * The elements that a player needs, by parent (RFC 9559). Every other one may reveal a place, a program or a person:
 * titles, dates, tags, attachments, chapters, names and languages of tracks. Checksums no longer fit.
 */
export const keptElements: Readonly<Record<Holder, ReadonlyMap<number, Kept>>> = {
  file: new Map([
    [ids.header, holds("header")],
    [ids.segment, holds("segment")]
  ]),
  header: new Map<number, Kept>([...numbers(0x4286, 0x42f7, 0x42f2, 0x42f3, 0x4287, 0x4285), [ids.docType, "name"]]),
  segment: new Map([
    [ids.seekHead, holds("seekHead")],
    [ids.info, holds("info")],
    [ids.tracks, holds("tracks")],
    [ids.cluster, holds("cluster")],
    [ids.cues, holds("cues")]
  ]),
  seekHead: new Map([[0x4dbb, holds("seek")]]),
  seek: new Map(numbers(ids.seekId, 0x53ac)),
  // The scale of times and the length, and the required names of the programs.
  info: new Map<number, Kept>([...numbers(ids.timestampScale, 0x4489), [0x4d80, "blank"], [0x5741, "blank"]]),
  tracks: new Map([[ids.track, holds("track")]]),
  track: new Map<number, Kept>([
    ...numbers(ids.trackNumber, 0x73c5, ids.trackType, 0xb9, 0x88, 0x55aa, 0x9c, 0x6de7, 0x6df8),
    ...numbers(ids.defaultDuration, 0x234e7a, 0x55ee, 0x56aa, 0x56bb, 0xaa),
    [ids.codec, "name"],
    [0x63a2, "private"],
    [ids.video, holds("video")],
    [0xe1, holds("audio")],
    [0x6d80, holds("encodings")]
  ]),
  video: new Map<number, Kept>([
    ...numbers(0x9a, 0x9d, 0x53b8, ids.alphaMode, 0xb0, 0xba, 0x54aa, 0x54bb, 0x54cc, 0x54dd),
    ...numbers(0x54b0, 0x54ba, 0x54b2, 0x54b3),
    [0x55b0, holds("colour")],
    [0x7670, holds("projection")]
  ]),
  colour: new Map<number, Kept>([
    ...numbers(0x55b1, 0x55b2, 0x55b3, 0x55b4, 0x55b5, 0x55b6, 0x55b7, 0x55b8),
    ...numbers(0x55b9, 0x55ba, 0x55bb, 0x55bc, 0x55bd),
    [0x55d0, holds("mastering")]
  ]),
  mastering: new Map(numbers(0x55d1, 0x55d2, 0x55d3, 0x55d4, 0x55d5, 0x55d6, 0x55d7, 0x55d8, 0x55d9, 0x55da)),
  projection: new Map<number, Kept>([...numbers(0x7671, 0x7673, 0x7674, 0x7675), [0x7672, "short"]]),
  audio: new Map(numbers(0xb5, 0x78b5, 0x9f, 0x6264, 0x52f1)),
  encodings: new Map([[0x6240, holds("encoding")]]),
  encoding: new Map<number, Kept>([...numbers(0x5031, 0x5032, 0x5033), [0x5034, holds("compression")]]),
  compression: new Map<number, Kept>([...numbers(0x4254), [0x4255, "short"]]),
  cluster: new Map<number, Kept>([
    ...numbers(ids.timestamp, 0xa7, 0xab),
    [ids.simpleBlock, "simpleBlock"],
    [ids.group, holds("group")]
  ]),
  group: new Map<number, Kept>([
    [ids.block, "played"],
    ...numbers(ids.blockDuration, 0xfa, ids.referenceBlock, 0x75a2),
    [0x75a1, holds("additions")]
  ]),
  additions: new Map([[0xa6, holds("addition")]]),
  addition: new Map<number, Kept>([...numbers(ids.blockAddId), [0xa5, "played"]]),
  cues: new Map([[0xbb, holds("cue")]]),
  cue: new Map<number, Kept>([...numbers(0xb3), [0xb7, holds("cuePositions")]]),
  cuePositions: new Map(numbers(0xf7, 0xf1, 0xf0, 0xb2, 0x5378))
}
