/** Cameras' and screens' profiles have some kilobytes; tables of other color spaces have megabytes. */
export const maxProfileLength = 1_000_000

const headerLength = 128
const tagLength = 12
const maxTags = 100

const maxEntries = 4_096

/** Letters that are read as numbers exceed this; coordinates and parameters of color spaces do not. */
const maxNumber = 16

/** Each profile must have a text. All profiles get this text. */
const words = "color"

/** Input devices, screens and color spaces. */
const classes: ReadonlySet<string> = new Set(["scnr", "mntr", "spac"])

/** By color space; all are required. */
const colorTags: Readonly<Record<string, ReadonlyArray<string> | undefined>> = {
  "RGB ": ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"],
  GRAY: ["kTRC"]
}

/** Optional tags for the white point and its adaptation. */
const whiteTags = ["wtpt", "chad"]

/** Tables, which override the other tags and have room for anything. */
const tableTags = /^(?:A2B|B2A|D2B|B2D)\d$/

/** The number of parameters of each formula for a curve. */
const parameterCounts = [1, 3, 4, 5, 7]

const typeOf = (content: Buffer) => content.toString("latin1", 0, 4)

const makeTag = (type: string, content: Buffer) =>
  Buffer.concat([Buffer.from(type, "latin1"), Buffer.alloc(4), content, Buffer.alloc((4 - (content.length % 4)) % 4)])

/** Fixed point, with 16 bits of fraction. */
const areSmall = (numbers: Buffer): boolean =>
  Array.from({ length: numbers.length / 4 }, (_, index) => numbers.readInt32BE(index * 4)).every(
    (number) => Math.abs(number) < maxNumber * 0x10000
  )

const keepNumbers = (content: Buffer, type: string, count: number): Buffer | undefined => {
  const numbers = content.subarray(8, 8 + count * 4)
  const isWhole = typeOf(content) === type && numbers.length === count * 4
  return isWhole && areSmall(numbers) ? makeTag(type, numbers) : undefined
}

/** Undefined if the curve falls, because no real curve does. */
const keepTable = (content: Buffer): Buffer | undefined => {
  const count = content.readUInt32BE(8)
  const table = content.subarray(12, 12 + count * 2)
  if (count > maxEntries || table.length !== count * 2) return undefined
  for (let at = 2; at < table.length; at += 2) {
    if (table.readUInt16BE(at) < table.readUInt16BE(at - 2)) return undefined
  }
  return makeTag("curv", content.subarray(8, 12 + table.length))
}

const keepFormula = (content: Buffer): Buffer | undefined => {
  const formula = content.readUInt16BE(8)
  const count = parameterCounts[formula]
  const parameters = content.subarray(12, 12 + (count ?? 0) * 4)
  if (count === undefined || parameters.length !== count * 4 || !areSmall(parameters)) return undefined
  return makeTag("para", Buffer.concat([Buffer.from([0, formula, 0, 0]), parameters]))
}

const keepTag = (name: string, content: Buffer): Buffer | undefined => {
  if (name === "chad") return keepNumbers(content, "sf32", 9)
  if (!name.endsWith("TRC")) return keepNumbers(content, "XYZ ", 3)
  if (content.length < 12) return undefined
  return typeOf(content) === "para" ? keepFormula(content) : typeOf(content) === "curv" ? keepTable(content) : undefined
}

/** Some readers require the description and the copyright. */
const makeWords = (version: number): ReadonlyArray<readonly [string, Buffer]> => {
  if (version >= 4) {
    const record = Buffer.alloc(20)
    for (const [index, number] of [1, 12].entries()) record.writeUInt32BE(number, index * 4)
    record.write("enUS", 8, "latin1")
    record.writeUInt32BE(words.length * 2, 12)
    record.writeUInt32BE(28, 16)
    const text = makeTag("mluc", Buffer.concat([record, Buffer.from(words, "utf16le").swap16()]))
    return [
      ["desc", text],
      ["cprt", text]
    ]
  }
  const ascii = Buffer.from(`${words}\0`)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(ascii.length)
  // Two other encodings of the text follow, both empty.
  return [
    ["desc", makeTag("desc", Buffer.concat([length, ascii, Buffer.alloc(78)]))],
    ["cprt", makeTag("text", ascii)]
  ]
}

const makeHeader = (profile: Buffer, length: number): Buffer => {
  const header = Buffer.alloc(headerLength)
  header.writeUInt32BE(length)
  header.writeUInt8(profile.readUInt8(8), 8)
  header.writeUInt8(profile.readUInt8(9) & 0xf0, 9)
  profile.copy(header, 12, 12, 24)
  header.write("acsp", 36, "latin1")
  header.writeUInt32BE(profile.readUInt32BE(64), 64)
  for (const [index, number] of [0xf6d6, 0x10000, 0xd32d].entries()) header.writeUInt32BE(number, 68 + index * 4)
  return header
}

const readTags = (profile: Buffer): ReadonlyMap<string, Buffer> | undefined => {
  const count = profile.readUInt32BE(headerLength)
  if (count > maxTags || profile.length < headerLength + 4 + count * tagLength) return undefined
  const tags = new Map<string, Buffer>()
  for (let index = 0; index < count; index++) {
    const at = headerLength + 4 + index * tagLength
    const offset = profile.readUInt32BE(at + 4)
    const end = offset + profile.readUInt32BE(at + 8)
    if (end > profile.length) return undefined
    tags.set(profile.toString("latin1", at, at + 4), profile.subarray(offset, end))
  }
  return tags
}

/** Tags with the same content share it. */
const makeProfile = (source: Buffer, tags: ReadonlyArray<readonly [string, Buffer]>): Buffer => {
  const start = headerLength + 4 + tags.length * tagLength
  const table = Buffer.alloc(start - headerLength)
  table.writeUInt32BE(tags.length)
  const contents: Array<Buffer> = []
  const places = new Map<string, number>()
  let end = start
  for (const [index, [name, content]] of tags.entries()) {
    const key = content.toString("latin1")
    const place = places.get(key) ?? end
    if (place === end) {
      places.set(key, place)
      contents.push(content)
      end += content.length
    }
    table.write(name, 4 + index * tagLength, "latin1")
    table.writeUInt32BE(place, 8 + index * tagLength)
    table.writeUInt32BE(content.length, 12 + index * tagLength)
  }
  return Buffer.concat([makeHeader(source, end), table, ...contents])
}

/**
 * An ICC profile reduced to its color space, curves and white point. Undefined unless it is a profile of RGB or gray
 * without color tables. Only numbers are kept, because a profile has room for names, texts and custom tags.
 */
export const profileAlone = (profile: Buffer): Buffer | undefined => {
  if (profile.length < headerLength + 4 || profile.length > maxProfileLength) return undefined
  const [major, colorSpace] = [profile.readUInt8(8), profile.toString("latin1", 16, 20)]
  const needed = colorTags[colorSpace]
  const isKnown =
    (major === 2 || major === 4) &&
    needed !== undefined &&
    classes.has(profile.toString("latin1", 12, 16)) &&
    profile.toString("latin1", 20, 24) === "XYZ " &&
    profile.toString("latin1", 36, 40) === "acsp" &&
    profile.readUInt32BE(64) <= 3
  const tags = isKnown ? readTags(profile) : undefined
  if (tags === undefined || needed === undefined || [...tags.keys()].some((name) => tableTags.test(name))) {
    return undefined
  }
  const kept: Array<readonly [string, Buffer]> = [...makeWords(major)]
  for (const name of [...whiteTags, ...needed]) {
    const content = tags.get(name)
    if (content === undefined && !needed.includes(name)) continue
    const tag = content && keepTag(name, content)
    if (tag === undefined) return undefined
    kept.push([name, tag])
  }
  return makeProfile(profile, kept)
}
