import { crc32, deflateSync, inflateSync } from "node:zlib"
import sharp from "sharp"
import { animatedGif, noise, plainJpeg } from "../../sampleFiles.ts"

export const place = "51.5074N 0.1278W"

const segment = (marker: number, content: Buffer | string): Buffer => {
  const bytes = Buffer.from(content)
  const header = Buffer.from([0xff, marker, 0, 0])
  header.writeUInt16BE(bytes.length + 2, 2)
  return Buffer.concat([header, bytes])
}

const pngChunk = (type: string, content: Buffer | string): Buffer => {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(8)
  header.writeUInt32BE(bytes.length)
  header.write(type, 4, "latin1")
  const code = Buffer.alloc(4)
  code.writeUInt32BE(crc32(Buffer.concat([header.subarray(4), bytes])))
  return Buffer.concat([header, bytes, code])
}

const riffChunk = (type: string, content: Buffer | string): Buffer => {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(8)
  header.write(type, "latin1")
  header.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([header, bytes, Buffer.alloc(bytes.length % 2)])
}

/** An extension's blocks of up to 255 bytes. */
const blocks = (content: string): Buffer =>
  Buffer.concat([
    ...Array.from({ length: Math.ceil(content.length / 255) }, (_, index) => {
      const part = Buffer.from(content.slice(index * 255, (index + 1) * 255))
      return Buffer.concat([Buffer.of(part.length), part])
    }),
    Buffer.of(0)
  ])

/** XMP as it stands in a GIF: not in blocks, but followed by bytes that end every reader's blocks. */
const gifXmp = () =>
  Buffer.concat([
    Buffer.from("\u0021\u00ff\u000bXMP DataXMP", "latin1"),
    Buffer.from(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${place}</x:xmpmeta>`),
    Buffer.of(1),
    Buffer.from(Array.from({ length: 256 }, (_, index) => 255 - index)),
    Buffer.of(0)
  ])

const comment = () => Buffer.concat([Buffer.of(0x21, 0xfe), blocks(place)])

const insert = (bytes: Buffer, at: number, ...parts: ReadonlyArray<Buffer>) =>
  Buffer.concat([bytes.subarray(0, at), ...parts, bytes.subarray(at)])

const exif = () => Buffer.concat([Buffer.from("II*\0\b\0\0\0"), Buffer.from(place)])

/** A JPEG with a segment after its first two bytes. */
const jpegWith = (marker: number, content: Buffer | string) => async () =>
  insert(await plainJpeg(), 2, segment(marker, content))

const plainPng = () => noise(40, 30).png().toBuffer()

/** A PNG with a chunk after its pixels. */
const pngWith = (type: string, content: Buffer | string) => async () => {
  const png = await plainPng()
  return insert(png, png.length - 12, pngChunk(type, content))
}

/** The color profile of a picture. */
export const profileOf = async (picture: Buffer): Promise<Buffer> => {
  const { icc } = await sharp(picture).metadata()
  return icc ?? Buffer.alloc(0)
}

const p3 = async () => profileOf(await noise(8, 8).jpeg().withIccProfile("p3").toBuffer())

/** A color profile with one more tag, of anybody's own. */
const profileWith = async (name: string, content: Buffer) => {
  const profile = await p3()
  const tags = 128 + 4
  const count = profile.readUInt32BE(128)
  const added = Buffer.alloc(12)
  added.write(name, 0, "latin1")
  added.writeUInt32BE(profile.length + added.length, 4)
  added.writeUInt32BE(content.length, 8)
  const longer = Buffer.concat([insert(profile, tags + count * 12, added), content])
  longer.writeUInt32BE(longer.length)
  longer.writeUInt32BE(count + 1, 128)
  for (let index = 0; index < count; index++) {
    const at = tags + index * 12 + 4
    longer.writeUInt32BE(longer.readUInt32BE(at) + added.length, at)
  }
  return longer
}

const described = () => profileWith("note", Buffer.from(`text\0\0\0\0${place}`))

/** A color profile whose first curve is a table with a place in it. */
const curved = async () => {
  const profile = await p3()
  const table = Buffer.concat([Buffer.from("curv\0\0\0\0\0\0\0\u0008", "latin1"), Buffer.from(place)])
  const at = profile.indexOf("rTRC")
  const longer = Buffer.concat([profile, table])
  longer.writeUInt32BE(longer.length)
  longer.writeUInt32BE(profile.length, at + 4)
  longer.writeUInt32BE(table.length, at + 8)
  return longer
}

/** A color profile that names who made it. */
const signed = async () => {
  const profile = await p3()
  profile.write(place, 80, "latin1")
  return profile
}

const jpegProfile = (part: number, count: number, content: Buffer) =>
  segment(0xe2, Buffer.concat([Buffer.from("ICC_PROFILE\0", "latin1"), Buffer.of(part, count), content]))

const jpegWithProfile = (make: () => Promise<Buffer>) => async () => {
  const jpeg = await sharp({ create: { width: 40, height: 30, channels: 3, background: "#864" } })
    .jpeg()
    .toBuffer()
  return insert(jpeg, 2, jpegProfile(1, 1, await make()))
}

/** The content of a PNG's first chunk of a type. */
const pngContent = (png: Buffer, type: string) => {
  const at = png.indexOf(type) + 4
  return png.subarray(at, at + png.readUInt32BE(at - 8))
}

const pngWithProfile = (name: string, make: () => Promise<Buffer>) => async () => {
  const content = Buffer.concat([Buffer.from(`${name}\0\0`), deflateSync(await make(), { level: 0 })])
  return insert(await plainPng(), 33, pngChunk("iCCP", content))
}

/** A PNG whose chunks of pixels are made of its compressed ones. */
const pngOf =
  (change: (pixels: Buffer) => ReadonlyArray<Buffer>, interlaced = false) =>
  async () => {
    const png = await noise(40, 30).png({ progressive: interlaced }).toBuffer()
    const pixels = pngContent(png, "IDAT")
    return Buffer.concat([
      png.subarray(0, 33),
      ...change(pixels).map((content) => pngChunk("IDAT", content)),
      pngChunk("IEND", "")
    ])
  }

const webpWithProfile = (make: () => Promise<Buffer>) => async () => {
  const webp = await noise(40, 30).webp().withIccProfile("p3").toBuffer()
  const at = webp.indexOf("ICCP")
  const length = webp.readUInt32LE(at + 4)
  const whole = Buffer.concat([
    webp.subarray(0, at),
    riffChunk("ICCP", await make()),
    webp.subarray(at + 8 + length + (length % 2))
  ])
  whole.writeUInt32LE(whole.length - 8, 4)
  return whole
}

const webpWith = (type: string) => async () => {
  const webp = await noise(40, 30).webp().withIccProfile("p3").toBuffer()
  const whole = Buffer.concat([webp, riffChunk(type, place)])
  whole.writeUInt32LE(whole.length - 8, 4)
  return whole
}

const transparent = () => sharp({ create: { width: 20, height: 10, channels: 4, background: "#f008" } })

const plainGif = animatedGif

const gifWith = (extension: () => Buffer) => async () => {
  const gif = await plainGif()
  return insert(gif, gif.length - 1, extension())
}

/** Files with a place beside the picture, by what holds it. */
export const located: ReadonlyArray<readonly [string, () => Promise<Buffer>]> = [
  ["a JPEG's comment", jpegWith(0xfe, place)],
  ["a JPEG's APP9", jpegWith(0xe9, place)],
  ["a JPEG's APP12", jpegWith(0xec, `Ducky${place}`)],
  ["what a FLIR camera writes into a JPEG", jpegWith(0xe1, `FLIR\0\u0001\0\0${place}`)],
  ["a JPEG's malformed EXIF", jpegWith(0xe1, `Exif\0\0broken ${place}`)],
  ["a JPEG's Photoshop resources", jpegWith(0xed, `Photoshop 3.0\u00008BIM${place}`)],
  ["a JPEG's list of further pictures", jpegWith(0xe2, `MPF\0${place}`)],
  ["a JPEG's small copy", jpegWith(0xe0, `JFXX\0\u0010${place}`)],
  ["a JPEG after its end", async () => Buffer.concat([await plainJpeg(), Buffer.from(place)])],
  ["a JPEG's thumbnail", jpegWith(0xe0, `JFIF\0\u0001\u0001\0\0\u0001\0\u0001\u0005\u0001${place}`)],
  ["a JPEG's profile that is none", jpegWithProfile(async () => Buffer.from(place))],
  ["a tag of a JPEG's profile", jpegWithProfile(described)],
  ["the header of a JPEG's profile", jpegWithProfile(signed)],
  ["a curve of a JPEG's profile", jpegWithProfile(curved)],
  ["a table of a JPEG's profile", jpegWithProfile(() => profileWith("A2B0", Buffer.from(place)))],
  [
    "a second profile of a JPEG",
    async () => insert(await jpegWithProfile(p3)(), 2, jpegProfile(1, 1, Buffer.from(place)))
  ],
  ["the name of a PNG's profile", pngWithProfile(place, p3)],
  ["a PNG's profile that is none", pngWithProfile("p3", async () => Buffer.from(place))],
  ["a tag of a PNG's profile", pngWithProfile("p3", described)],
  ["a PNG's pixels, after their end", pngOf((pixels) => [Buffer.concat([pixels, Buffer.from(place)])])],
  ["a PNG's pixels, in a chunk after their end", pngOf((pixels) => [pixels, Buffer.from(place)])],
  [
    "a PNG's pixels, after the last row",
    pngOf((pixels) => [deflateSync(Buffer.concat([inflateSync(pixels), Buffer.from(place)]), { level: 0 })])
  ],
  ["a WebP's profile that is none", webpWithProfile(async () => Buffer.from(place))],
  ["a tag of a WebP's profile", webpWithProfile(described)],
  ["a PNG's EXIF after its pixels", pngWith("eXIf", exif())],
  ["a PNG's text after its pixels", pngWith("tEXt", `Comment\0${place}`)],
  ["a PNG's international text after its pixels", pngWith("iTXt", `XML:com.adobe.xmp\0\0\0\0\0${place}`)],
  ["a PNG's chunk of its own", pngWith("caNv", place)],
  ["a PNG's late color profile", pngWith("iCCP", `${place}\0\0`)],
  ["a PNG after its end", async () => Buffer.concat([await plainPng(), Buffer.from(place)])],
  ["a WebP's EXIF", webpWith("EXIF")],
  ["a WebP's XMP", webpWith("XMP ")],
  ["a WebP's chunk of its own", webpWith("ABCD")],
  ["a WebP after its end", async () => Buffer.concat([await noise(40, 30).webp().toBuffer(), Buffer.from(place)])],
  ["a GIF's XMP", gifWith(gifXmp)],
  ["a GIF's comment", gifWith(comment)],
  ["a GIF's plain text", gifWith(() => Buffer.concat([Buffer.of(0x21, 0x01), blocks("0".repeat(12) + place)]))],
  ["a GIF after its end", async () => Buffer.concat([await plainGif(), Buffer.from(place)])],
  [
    "a GIF's repetitions",
    gifWith(() =>
      Buffer.concat([
        Buffer.from("\u0021\u00ff\u000bNETSCAPE2.0\u0003\u0001\0\0", "latin1"),
        Buffer.of(place.length),
        Buffer.from(place),
        Buffer.of(0)
      ])
    )
  ],
  ["a GIF without an end", async () => (await gifWith(comment)()).subarray(0, -1)]
]

/** Files that have nothing but a picture. */
export const alone: ReadonlyArray<readonly [string, () => Promise<Buffer>]> = [
  ["baseline JPEG", plainJpeg],
  ["progressive JPEG", () => noise(400, 300).jpeg({ progressive: true }).toBuffer()],
  ["WebP", () => noise(40, 30).webp().toBuffer()],
  ["transparent WebP", () => transparent().webp().toBuffer()],
  ["PNG", plainPng],
  ["PNG in several chunks", pngOf((pixels) => [pixels.subarray(0, 99), pixels.subarray(99)])],
  ["interlaced PNG", () => noise(41, 3).png({ progressive: true }).toBuffer()],
  ["interlaced PNG of two columns", () => noise(2, 30).png({ progressive: true }).toBuffer()],
  ["PNG of 16 bits", () => noise(40, 30).toColourspace("rgb16").png().toBuffer()],
  ["gray PNG", () => noise(40, 30).toColourspace("b-w").png().toBuffer()],
  ["PNG with a palette", () => transparent().png({ palette: true }).toBuffer()],
  ["PNG of one bit", () => transparent().png({ palette: true, colors: 2 }).toBuffer()],
  ["animated GIF", plainGif]
]

/** Pictures with a color profile that others gave them, which is named by its curves: as formulas, or as tables. */
export const profiled: ReadonlyArray<readonly [string, () => Promise<Buffer>]> = [
  ["JPEG", () => noise(400, 300).jpeg().withIccProfile("p3").toBuffer()],
  [
    "JPEG with a profile of two segments",
    async () => {
      const profile = await p3()
      return insert(
        await plainJpeg(),
        2,
        jpegProfile(1, 2, profile.subarray(0, 99)),
        jpegProfile(2, 2, profile.subarray(99))
      )
    }
  ],
  ["lossless WebP", () => noise(40, 30).webp({ lossless: true }).withIccProfile("p3").toBuffer()],
  ["PNG", () => noise(40, 30).png({ compressionLevel: 1 }).withIccProfile("p3").toBuffer()]
]
