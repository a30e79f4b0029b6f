import { Clock, DateTime, Effect, Random, Schedule } from "effect"
import { openAsBlob } from "node:fs"
import { writeFile } from "node:fs/promises"
import path from "node:path"
import { uprightVideo } from "../media/sampleFiles.ts"
import { call } from "./support/calls.ts"
import { runScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { awaitFile, settingsOn } from "./support/files.ts"
import type { Replica } from "./support/replica.ts"
import { storedTargets, waitUntilAllEnded } from "./support/storedTargets.ts"
import { makeWorld } from "./support/world.ts"

const platforms = ["youtube", "tiktok"] as const

/** Leaves room for the file's index. */
const videoBytes = 990_000_000

const timeoutMillis = 20 * 60_000

/** Uploads a video from a file, and waits until it is ready. */
const addVideo = ({ url }: Replica, key: string, file: string) =>
  Effect.promise(async () => {
    const form = new FormData()
    form.set("file", await openAsBlob(file), "video.mp4")
    const response = await fetch(`${url}/v1/media`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: form
    })
    return response.text()
  }).pipe(Effect.flatMap((answer) => awaitFile(answer, (path) => call(`${url}${path}`, { key }))))

/** Kills one of the replicas every five seconds. */
const killInTurns = (replicas: ReadonlyArray<Replica>, onKill: () => void) =>
  Effect.gen(function* () {
    for (;;) {
      yield* Effect.sleep("5 seconds")
      const replica = yield* Effect.orDie(Random.choice(replicas))
      yield* Effect.uninterruptible(Effect.andThen(replica.end("SIGKILL"), replica.start))
      onKill()
    }
  })

/** A video of almost 1 GB goes to YouTube and TikTok while one of three replicas is killed every five seconds. */
runScript("kill -9 during a large upload", { posts: 1, seed: "1", pace: 10 }, (directory, options, log) =>
  Effect.gen(function* () {
    const { url: databaseUrl } = yield* restartableDatabase({ dataDir: directory })
    const world = yield* makeWorld({
      ...options,
      databaseUrl,
      directory,
      workspaces: 1,
      faultRate: 0,
      uploadDelay: 400,
      replicas: 3,
      platforms
    })
    const [replica] = world.replicas
    const [key = ""] = world.keys
    if (replica === undefined) return yield* Effect.die("There is no replica")
    const file = path.join(directory, "video.mp4")
    yield* Effect.promise(async () => writeFile(file, await uprightVideo(videoBytes)))
    const id = yield* addVideo(replica, key, file)
    yield* log("The video is ready")
    const content = "A large video"
    const schedule_at = DateTime.formatIso(yield* DateTime.now)
    const body = { content, platforms, media: [{ id }], ...settingsOn(platforms, content), schedule_at }
    const created = yield* call(`${replica.url}/v1/posts`, { method: "POST", key, body })
    if (created.status !== 201) return yield* Effect.die(`The post got ${created.status}: ${created.text}`)

    let kills = 0
    let memory = 0
    const start = yield* Clock.currentTimeMillis
    const watch = Effect.forEach(world.replicas, ({ peakMemory }) => peakMemory).pipe(
      Effect.tap((peaks) =>
        Effect.sync(() => {
          memory = Math.max(memory, ...peaks)
        })
      ),
      Effect.repeat(Schedule.spaced("200 millis")),
      Effect.andThen(Effect.never)
    )
    yield* Effect.raceAllFirst([
      waitUntilAllEnded(databaseUrl, timeoutMillis, (ended, all) => log(`${ended} of ${all} targets have ended`)),
      killInTurns(world.replicas, () => void kills++),
      watch
    ])
    const seconds = Math.round(((yield* Clock.currentTimeMillis) - start) / 1000)
    const stored = yield* storedTargets(databaseUrl)
    const { posts, uploads } = yield* world.standIn.report
    const begun = uploads.filter((request) => request.startsWith("POST /google/upload/")).length
    const failures = [
      ...stored.flatMap(({ message, platform, status }) =>
        status === "published" ? [] : [`${platform}: ${status} (${message})`]
      ),
      ...platforms.flatMap((platform) => {
        const count = posts.filter((post) => post.platform === platform).length
        return count === 1 ? [] : [`${platform}: ${count} posts`]
      }),
      ...(begun === 1 ? [] : [`youtube: ${begun} uploads were begun`]),
      ...(kills > 0 ? [] : ["No replica was killed"])
    ]
    const table = [
      `kills                ${kills}`,
      `seconds              ${seconds}`,
      `requests with bytes  ${uploads.length}`,
      `uploads to YouTube   ${begun}`,
      `most memory          ${Math.round(memory / 1e6)} MB in one process`
    ].join("\n")
    return { table, failures }
  })
)
