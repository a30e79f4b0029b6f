import {
  BufferTarget,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
  TextSubtitleSource
} from "mediabunny"
import sharp from "sharp"

/** An image of random pixels, which compresses badly. */
export const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: "#888", noise: { type: "gaussian", mean: 128, sigma: 40 } }
  })

/** A photograph as phones make it: to be turned, and with the place where it was taken. */
export const phonePhoto = (width: number, height: number) =>
  noise(width, height)
    .jpeg()
    .withExif({ IFD0: { Make: "A phone" }, IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 3230/100" } })
    .withMetadata({ orientation: 6 })
    .toBuffer()

export const plainJpeg = () => noise(400, 300).jpeg().toBuffer()

/** White pixels: hundreds of megabytes from some kilobytes. */
export const pixelBomb = () =>
  sharp({ create: { width: 8_125, height: 8_001, channels: 3, background: "#fff" } })
    .png()
    .toBuffer()

export const animatedGif = async () => {
  const frames = await Promise.all(
    ["#f00", "#0f0", "#00f"].map((background) =>
      sharp({ create: { width: 32, height: 24, channels: 3, background } })
        .png()
        .toBuffer()
    )
  )
  return sharp(frames, { join: { animated: true } })
    .gif({ delay: [100, 100, 200] })
    .toBuffer()
}

/** A baseline H.264 configuration of 64x48 pixels, with one set of parameters each. */
const avcConfiguration = new Uint8Array([
  1, 0x42, 0xc0, 0x0a, 0xff, 0xe1, 0, 9, 0x67, 0x42, 0xc0, 0x0a, 0xda, 0x10, 0x9b, 0x20, 0, 1, 0, 4, 0x68, 0xce, 0x3c,
  0x80
])

/** Configurations as ffmpeg writes them for x264: of 4:4:4, of two fields a picture, and of 10 bits. */
export const configurations = {
  plain: avcConfiguration,
  chroma444: Buffer.from(
    "01f4000affe1001867f4000a919b2841b60220000003002000000641e244b2c001000668ebe3c44844fff8f800",
    "hex"
  ),
  interlaced: Buffer.from(
    "01640015ffe1001867640015acd9421b6022000003000200000300643e28532c01000668fba3cb22c0fdf8f800",
    "hex"
  ),
  high10: Buffer.from(
    "016e000affe10018676e000aa6cd9447b011000003000100000300320f12259601000668ebe3cb22c0fdfafa00",
    "hex"
  )
}

/** `captions` are WebVTT, in a track of their own. */
const makeVideo = async (
  fastStart: "in-memory" | "fragmented" | false,
  captions?: string,
  description: Uint8Array = avcConfiguration,
  seconds = 2,
  { frameBytes = 2_000, frames = 50, height = 48, width = 64 } = {}
) => {
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat({ fastStart }), target })
  const source = new EncodedVideoPacketSource("avc")
  const subtitles = new TextSubtitleSource("webvtt")
  output.addVideoTrack(source, { frameRate: frames / seconds })
  if (captions !== undefined) output.addSubtitleTrack(subtitles)
  await output.start()
  if (captions !== undefined) await subtitles.add(captions)
  for (let frame = 0; frame < frames; frame++) {
    const packet = new EncodedPacket(
      new Uint8Array(frameBytes).fill(frame),
      frame === 0 ? "key" : "delta",
      (frame * seconds) / frames,
      seconds / frames
    )
    await source.add(packet, {
      decoderConfig: { codec: "avc1.42c00a", codedWidth: width, codedHeight: height, description }
    })
  }
  await output.finalize()
  return Buffer.from(target.buffer ?? new ArrayBuffer(0))
}

/** An MP4 of two seconds, whose frames no decoder would take: nothing here decodes them. */
export const shortVideo = () => makeVideo("in-memory")

/** As `shortVideo`, but of a usual size, and of about as many bytes. */
export const usualVideo = (bytes: number) =>
  makeVideo("in-memory", undefined, avcConfiguration, 2, { frameBytes: bytes / 50, width: 1_280, height: 720 })

/** As `shortVideo`, but long and large enough for every platform, upright, and of about as many bytes. */
export const uprightVideo = (bytes = 240_000) =>
  makeVideo("in-memory", undefined, avcConfiguration, 4, {
    frameBytes: Math.floor(bytes / 120),
    frames: 120,
    width: 540,
    height: 960
  })

/** As `shortVideo`, with another configuration of its decoder. */
export const videoWith = (configuration: keyof typeof configurations) =>
  makeVideo("in-memory", undefined, configurations[configuration])

/** As `shortVideo`, but of 150 seconds. */
export const longVideo = () => makeVideo("in-memory", undefined, avcConfiguration, 150)

export const fragmentedVideo = () => makeVideo("fragmented")

export const box = (type: string, ...contents: ReadonlyArray<Uint8Array>) => {
  const content = Buffer.concat(contents)
  const header = Buffer.alloc(8)
  header.writeUInt32BE(content.length + 8)
  header.write(type, 4, "latin1")
  return Buffer.concat([header, content])
}

export const numbers = (...values: ReadonlyArray<number>) => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** As `shortVideo`, whose two seconds are in the index, with a fragment of four more. */
export const extendedVideo = async () => {
  const video = await makeVideo("in-memory")
  const timescale = video.readUInt32BE(video.indexOf("mdhd") + 4 + 12)
  const header = box("tfhd", numbers(0x8, 1, timescale))
  const fragment = box("traf", header, box("trun", numbers(0x200, 4, 1, 1, 1, 1)))
  return Buffer.concat([video, box("moof", box("mfhd", numbers(0, 1)), fragment), box("mdat", Buffer.alloc(4))])
}

/** As `shortVideo`, with a place in the metadata of the file, beside it, and in captions as drones write them. */
export const locatedVideo = async (place: string) => {
  const video = await makeVideo(false, `WEBVTT\n\n00:00.000 --> 00:01.000\n${place}\n`)
  const movie = video.lastIndexOf("moov") - 4
  const coordinates = Buffer.concat([Buffer.from([0, place.length, 0x15, 0xc7]), Buffer.from(place)])
  const metadata = Buffer.concat([
    box("udta", box("\u00a9xyz", coordinates), box("loci", Buffer.alloc(12), Buffer.from(place))),
    box("meta", Buffer.from(`com.apple.quicktime.location.ISO6709${place}`))
  ])
  const located = Buffer.concat([video, metadata, box("uuid", Buffer.alloc(16, 1), Buffer.from(place))])
  located.writeUInt32BE(video.length - movie + metadata.length, movie)
  return located
}
