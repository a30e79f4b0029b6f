#!/bin/sh
# mediabunny 1.61.0 reads one number of an MP4's edit list: the start of the first edit. A clip of 4 seconds with one
# edit that shows its first second lasts 4 seconds for `computeDuration`, without a warning. By ISO/IEC 14496-12, 8.6.6,
# it lasts 1 second, which ffprobe also says (5.1.9, `stream=duration`).
# Exits with 1 if the behavior changes.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund mediabunny@1.61.0
cat >run.mjs <<'JS'
import { writeFileSync } from "node:fs"
import * as m from "mediabunny"

const box = (type, ...contents) => {
  const content = Buffer.concat(contents)
  const header = Buffer.alloc(8)
  header.writeUInt32BE(content.length + 8)
  header.write(type, 4, "latin1")
  return Buffer.concat([header, content])
}
const numbers = (...values) => {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4))
  return bytes
}

// 100 frames, 25 a second, H.264. The index stands at the end, so that it can grow.
const target = new m.BufferTarget()
const output = new m.Output({ format: new m.Mp4OutputFormat({ fastStart: false }), target })
const source = new m.EncodedVideoPacketSource("avc")
output.addVideoTrack(source, { frameRate: 25 })
await output.start()
const description = Buffer.from("0142c00affe100096742c00ada109b2000010004" + "68ce3c80", "hex")
const decoderConfig = { codec: "avc1.42c00a", codedWidth: 64, codedHeight: 48, description }
for (let frame = 0; frame < 100; frame++) {
  const packet = new m.EncodedPacket(Buffer.alloc(100, frame), frame === 0 ? "key" : "delta", frame / 25, 1 / 25)
  await source.add(packet, { decoderConfig })
}
await output.finalize()
const plain = Buffer.from(target.buffer)

// Shows the first second.
const at = (type) => plain.lastIndexOf(type) - 4
const [movie, track, media] = [at("moov"), at("trak"), at("mdia")]
const unit = plain.readUInt32BE(at("mvhd") + 20)
const edits = numbers(0, 1, unit, 0, 0x10000)
const list = box("edts", box("elst", edits))
const edited = Buffer.concat([plain.subarray(0, media), list, plain.subarray(media)])
for (const parent of [movie, track]) edited.writeUInt32BE(plain.readUInt32BE(parent) + list.length, parent)

const durationOf = async (bytes) => {
  const input = new m.Input({ formats: [m.MP4], source: new m.BufferSource(bytes) })
  return await input.computeDuration()
}
if (process.argv[2]) writeFileSync(process.argv[2], edited)
const seconds = [await durationOf(plain), await durationOf(edited)]
console.log(`mediabunny 1.61.0: ${seconds[0]} s without edits, ${seconds[1]} s with an edit that shows 1 s`)
process.exitCode = seconds[0] === 4 && seconds[1] === 4 ? 0 : 1
JS
node run.mjs "$@"
