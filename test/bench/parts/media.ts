import { Effect, Schedule, Schema } from "effect"
import { request } from "node:http"
import { performance } from "node:perf_hooks"
import { pipeline } from "node:stream/promises"
import sharp from "sharp"
import { call } from "../../chaos/support/calls.ts"
import { noise, shortVideo } from "../../media/sampleFiles.ts"
import { startDatabase } from "../support/database.ts"
import { watchMemory } from "../support/memory.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { progress } from "../support/progress.ts"
import { startService } from "../support/service.ts"
import { median } from "../support/statistics.ts"
import { makeTeams } from "../support/teams.ts"

const decodeFile = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ data: Schema.Struct({ id: Schema.String, status: Schema.String }) }))
)

/** A file that is sent without being in memory completely. */
interface LargeFile {
  readonly name: string
  readonly size: number
  readonly head: Uint8Array
}

const chunk = Buffer.alloc(1_000_000)

/** The file's first bytes, followed by zeros up to its size. */
const contentOf = function* ({ head, size }: LargeFile) {
  yield head
  for (let left = size - head.length; left > 0; left -= chunk.length)
    yield chunk.subarray(0, Math.min(left, chunk.length))
}

/** A photograph of 48 megapixels and the largest accepted size: blurred noise, like a sensor's. */
const largeImage = Effect.promise(async (): Promise<LargeFile> => {
  const pixels = await noise(8000, 6000).blur(0.7).png({ compressionLevel: 1 }).toBuffer()
  const head = await sharp(pixels).jpeg({ quality: 93 }).toBuffer()
  return { name: "image.jpg", size: Math.max(head.length, 29_900_000), head }
})

/** A short video, followed by a box that players skip. */
const largeVideo = (size: number) =>
  Effect.promise(async (): Promise<LargeFile> => {
    const video = await shortVideo()
    const box = Buffer.alloc(8)
    box.writeUInt32BE(size - video.length)
    box.write("free", 4, "latin1")
    return { name: "video.mp4", size, head: Buffer.concat([video, box]) }
  })

const boundary = "benchmark"

/** Uploads a file, and returns its id. */
const upload = (url: string, key: string, file: LargeFile) =>
  Effect.promise(async () => {
    const begin = Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\n\r\n`
    )
    const end = Buffer.from(`\r\n--${boundary}--\r\n`)
    const sending = request(`${url}/v1/media`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": `multipart/form-data; boundary=${boundary}`,
        "content-length": begin.length + file.size + end.length
      }
    })
    const answered = new Promise<string>((resolve, reject) => {
      sending.once("error", reject).once("response", (response) => {
        let text = ""
        response
          .setEncoding("utf8")
          .on("data", (part: string) => void (text += part))
          .once("end", () => (response.statusCode === 201 ? resolve(text) : reject(new Error(text))))
      })
    })
    await pipeline(function* () {
      yield begin
      yield* contentOf(file)
      yield end
    }, sending)
    return answered
  }).pipe(Effect.flatMap(decodeFile), Effect.orDie)

/** The time until the largest files are ready for posts, and the memory for that. */
export const media = Effect.fn("media")(function* ({ quick, rounds }: BenchOptions) {
  const database = yield* startDatabase
  const teams = yield* makeTeams(database, rounds * 2, ["twitter", "bluesky"])
  const { pid, url } = yield* startService(database)
  const files = [
    { file: yield* largeImage, limit: "30 MB" },
    { file: yield* largeVideo(quick ? 200_000_000 : 999_000_000), limit: "1 GB" }
  ]
  const rows: Array<Readonly<Record<string, string | number>>> = []
  for (const [index, { file, limit }] of files.entries()) {
    const measured = {
      received: new Array<number>(),
      ready: new Array<number>(),
      service: new Array<number>(),
      child: new Array<number>()
    }
    for (let round = 0; round < rounds; round++) {
      yield* progress(`round ${round + 1}: ${file.name}`)
      const key = teams[index * rounds + round]?.key ?? ""
      const { most, result } = yield* watchMemory(
        pid,
        Effect.gen(function* () {
          const began = performance.now()
          const { data } = yield* upload(url, key, file)
          const received = performance.now() - began
          const read = Effect.flatMap(call(`${url}/v1/media/${data.id}`, { key }), ({ text }) =>
            Effect.orDie(decodeFile(text))
          )
          const ended = yield* Effect.repeat(read, {
            until: (each) => each.data.status !== "processing",
            schedule: Schedule.spaced("20 millis")
          })
          if (ended.data.status !== "ready") return yield* Effect.die(`${file.name} is ${ended.data.status}`)
          return { received, ready: performance.now() - began }
        })
      )
      measured.received.push(result.received / 1000)
      measured.ready.push(result.ready / 1000)
      measured.service.push(most.service)
      measured.child.push(most.child)
    }
    rows.push({
      file: file.name,
      "size, MB": file.size / 1e6,
      limit,
      "received after, s": median(measured.received),
      "ready after, s": median(measured.ready),
      "service at most, MB": median(measured.service),
      "child process at most, MB": median(measured.child)
    })
  }
  return [
    {
      title: "Media",
      notes: `An upload over one connection until posts can carry the file, with the resident memory of the service and of the child process that reads files, looked at every 20 ms; medians of ${rounds}. The child may take 20 s for a file and 2 GiB.`,
      rows
    } satisfies Section
  ]
})
