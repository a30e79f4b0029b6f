import { Effect, Schedule, Schema } from "effect"
import { noise, shortVideo } from "../../media/sampleFiles.ts"
import { call } from "./calls.ts"

/** The types of the files that a post gets: none, one or two images, or now and then a video. */
export const fileTypesOf = (number: number, mediaEvery: number): ReadonlyArray<"image" | "video"> => {
  if (number % mediaEvery !== 0) return []
  const count = number / mediaEvery
  if (count % 5 === 0) return ["video"]
  return count % 2 === 0 ? ["image", "image"] : ["image"]
}

const decodeFile = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({
      data: Schema.Struct({ id: Schema.String, status: Schema.Literals(["processing", "ready", "failed"]) })
    })
  )
)

const makeFile = (type: "image" | "video") =>
  Effect.promise(async () => {
    const bytes = await (type === "video" ? shortVideo() : noise(320, 240).png().toBuffer())
    return new File([new Uint8Array(bytes)], `file.${type === "video" ? "mp4" : "png"}`)
  })

/**
 * Uploads a file through the API of random replicas and waits until it was processed; returns its id. An upload without a
 * response is repeated, and what it may have left is a file that no post needs.
 */
export const uploadFile = Effect.fn("uploadFile")(function* (
  chooseReplica: Effect.Effect<{ readonly url: string }>,
  key: string,
  type: "image" | "video"
) {
  const form = new FormData()
  form.set("file", yield* makeFile(type))
  form.set("alt", "What it shows")
  const schedule = Schedule.spaced("200 millis")
  const send = (path: string, options: Parameters<typeof call>[1]) =>
    Effect.repeat(
      Effect.flatMap(chooseReplica, ({ url }) => call(`${url}${path}`, { ...options, key })),
      { until: ({ status }) => ![0, 429, 503].includes(status), schedule }
    )
  const uploaded = yield* send("/v1/media", { method: "POST", form })
  if (uploaded.status !== 201) return yield* Effect.die(`An upload got ${uploaded.status}: ${uploaded.text}`)
  const { data } = yield* Effect.orDie(decodeFile(uploaded.text))
  const read = Effect.flatMap(send(`/v1/media/${data.id}`, {}), ({ text }) => Effect.orDie(decodeFile(text)))
  const ended = yield* Effect.repeat(read, { until: (file) => file.data.status !== "processing", schedule })
  return ended.data.status === "ready" ? data.id : yield* Effect.die("A file could not be processed")
})
