import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output } from "mediabunny"
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

/** An MP4 of two seconds, whose frames no decoder would take: nothing here decodes them. */
export const shortVideo = async () => {
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: "in-memory" }), target })
  const source = new EncodedVideoPacketSource("avc")
  output.addVideoTrack(source, { frameRate: 25 })
  await output.start()
  for (let frame = 0; frame < 50; frame++) {
    const packet = new EncodedPacket(
      new Uint8Array(2_000).fill(frame),
      frame === 0 ? "key" : "delta",
      frame / 25,
      1 / 25
    )
    await source.add(packet, {
      decoderConfig: { codec: "avc1.42c00a", codedWidth: 64, codedHeight: 48, description: avcConfiguration }
    })
  }
  await output.finalize()
  return Buffer.from(target.buffer ?? new ArrayBuffer(0))
}
