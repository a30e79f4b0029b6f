import { Effect, Schedule, Schema } from "effect"
import { needsFiles, needsVideo } from "../../../src/domain/plain/platforms.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import { noise, uprightVideo } from "../../media/sampleFiles.ts"
import { call } from "./calls.ts"

/** The types of a post's files: none, one or two images, or sometimes a video. */
export const fileTypesOf = (number: number, mediaEvery: number): ReadonlyArray<"image" | "video"> => {
  if (number % mediaEvery !== 0) return []
  const count = number / mediaEvery
  if (count % 5 === 0) return ["video"]
  return count % 2 === 0 ? ["image", "image"] : ["image"]
}

/** The platforms that take a post with these files. Some take none without a file, or without a video. */
export const takingFiles = (
  platforms: ReadonlyArray<LivePlatform>,
  types: ReadonlyArray<"image" | "video">
): ReadonlyArray<LivePlatform> => {
  if (types.includes("video")) return platforms
  return platforms.filter((platform) => !(types.length === 0 ? needsFiles(platform) : needsVideo(platform)))
}

/** The settings without which a platform takes no post. */
export const settingsOn = (platforms: ReadonlyArray<LivePlatform>, title: string) => ({
  platform_settings: {
    ...(platforms.includes("youtube") ? { youtube: { title } } : {}),
    ...(platforms.includes("tiktok") ? { tiktok: { privacy_level: "PUBLIC_TO_EVERYONE" } } : {})
  }
})

const decodeFile = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({
      data: Schema.Struct({ id: Schema.String, status: Schema.Literals(["processing", "ready", "failed"]) })
    })
  )
)

const makeFile = (type: "image" | "video") =>
  Effect.promise(async () => {
    const bytes = await (type === "video" ? uprightVideo() : noise(320, 240).png().toBuffer())
    return new File([new Uint8Array(bytes)], `file.${type === "video" ? "mp4" : "png"}`)
  })

/** Waits until an uploaded file is processed, and returns its id. `answer` is the response to its upload. */
export const awaitFile = Effect.fnUntraced(function* (
  answer: string,
  get: (path: string) => Effect.Effect<{ readonly text: string }>
) {
  const { data } = yield* Effect.orDie(decodeFile(answer))
  const read = Effect.flatMap(get(`/v1/media/${data.id}`), ({ text }) => Effect.orDie(decodeFile(text)))
  const ended = yield* Effect.repeat(read, {
    until: (file) => file.data.status !== "processing",
    schedule: Schedule.spaced("200 millis")
  })
  return ended.data.status === "ready" ? data.id : yield* Effect.die(`A file could not be processed: ${data.id}`)
})

type FileType = "image" | "video"

/** Uploads a file through the API of random replicas, waits until it is processed, and returns its id. */
const uploadFile = Effect.fnUntraced(function* (
  chooseReplica: Effect.Effect<{ readonly url: string }>,
  key: string,
  type: FileType
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
  return yield* awaitFile(uploaded.text, (path) => send(path, {}))
})

/**
 * Uploads two images and a video for each key. Returns a function that selects the file ids for a post. Call it before
 * any process is killed: if a kill interrupts the processing of a file, the service retries a minute later, and gives
 * up after three attempts.
 */
export const uploadFiles = Effect.fn("uploadFiles")(function* (
  chooseReplica: Effect.Effect<{ readonly url: string }>,
  keys: ReadonlyArray<string>
) {
  const types: ReadonlyArray<FileType> = ["image", "image", "video"]
  const libraries = yield* Effect.forEach(
    keys,
    (key) =>
      Effect.map(
        Effect.forEach(types, (type) => Effect.map(uploadFile(chooseReplica, key, type), (id) => ({ id, type }))),
        (files) => [key, files] as const
      ),
    { concurrency: 4 }
  )
  const filesOf = new Map(libraries)
  return (key: string, wanted: ReadonlyArray<FileType>): ReadonlyArray<{ readonly id: string }> => {
    const [first] = wanted
    const files = (filesOf.get(key) ?? []).filter(({ type }) => type === first)
    return files.slice(0, wanted.length).map(({ id }) => ({ id }))
  }
})
