import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Redacted, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { fork } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { performance } from "node:perf_hooks"
import { parseArgs } from "node:util"
import { Scope } from "../../src/domain/people/apiKey.ts"
import { GroupId } from "../../src/domain/ids.ts"
import { embeddedPostgres } from "../../src/embeddedPostgres/embeddedPostgres.ts"
import { migrate } from "../../src/repo/postgres/migrations.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { insertLargePosts, mostTags, tagsOfOldPosts } from "../support/database/largePosts.ts"
import { freePort, runProgram } from "../support/process/program.ts"
import { readMetrics } from "../support/telemetry/capturedTelemetry.ts"
import { encryptionKey, repoLayer } from "./support/world.ts"

const { values } = parseArgs({
  options: { readers: { type: "string", default: "40" }, seconds: { type: "string", default: "20" } }
})
const seconds = Number(values.seconds)

/** The limit of the service's heap. The process dies if it needs more. */
const heapMegabytes = 512
/** The highest 99th percentile of response times that an honest client may see, in milliseconds. */
const maxP99 = 250

/**
 * If a client reads nothing, the service closes its connection after 40 seconds, or after 80 if a write was in
 * progress.
 */
const maxIdleSeconds = 90

const fullGroup = GroupId.make("01a1fc17-dc2e-777d-ad63-000000000001")
const oldGroup = GroupId.make("01a1fc17-dc2e-777d-ad63-000000000002")

const makeKey = Effect.fnUntraced(function* (workspaceId: Effect.Success<ReturnType<typeof makeWorkspace>>) {
  const { apiKeys } = yield* Repo
  const options = { workspaceId, name: "Campaign", requiresApproval: false, expiresIn: null }
  return Redacted.value((yield* apiKeys.create({ ...options, scopes: Scope.literals })).key)
})

/** Creates a workspace with the largest possible lists, and a workspace with ordinary posts. */
const fillDatabase = Effect.gen(function* () {
  yield* migrate
  const { posts } = yield* Repo
  const large = yield* makeWorkspace()
  const batches = (count: number, each: Omit<Parameters<typeof insertLargePosts>[0], "count" | "workspaceId">) =>
    Effect.forEach(
      Array.from({ length: count / 250 }),
      () => insertLargePosts({ ...each, workspaceId: large, count: 250 }),
      { discard: true }
    )
  yield* batches(5_000, { tags: tagsOfOldPosts, groupId: oldGroup })
  yield* batches(1_000, { tags: mostTags, groupId: fullGroup })
  const ordinary = yield* makeWorkspace()
  const created = yield* Effect.forEach(Array.from({ length: 30 }), () => posts.create(ordinary, plan(null)))
  return { largeKey: yield* makeKey(large), ordinaryKey: yield* makeKey(ordinary), post: created[0]?.id ?? "" }
})

const startService = (databaseUrl: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const port = await freePort()
      const env = {
        PORT: `${port}`,
        DATABASE_URL: Redacted.value(databaseUrl),
        ENCRYPTION_KEY: Base64.encode(encryptionKey),
        DATA_DIR: await mkdtemp(path.join(tmpdir(), "large-lists-sandbox-")),
        RATE_LIMIT_PER_MINUTE: "1000000",
        LOG_LEVEL: "error",
        NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`
      }
      const service = runProgram("src/main.ts", [], env)
      await service.printed(/Listening/)
      let crash: string | undefined
      const watch = async () => {
        crash = (await service.ended).errors.slice(-500)
      }
      void watch()
      return { service, url: `http://127.0.0.1:${port}`, dataDir: env.DATA_DIR, crash: () => crash }
    }),
    ({ dataDir, service }) =>
      Effect.promise(async () => {
        service.kill("SIGTERM")
        await service.ended
        await rm(dataDir, { recursive: true, force: true })
      })
  )

const ReaderReport = Schema.Struct({ statuses: Schema.Record(Schema.String, Schema.Int), megabytes: Schema.Int })
const decodeReport = Schema.decodeUnknownPromise(ReaderReport)

/** Starts a process with readers of a list. `end` stops the process and returns the readers' report. */
const startReaders = (url: string, key: string, pace: "fast" | "slow") => {
  const script = path.join(import.meta.dirname, "support/largeListReaders.ts")
  const child = fork(script, [url, key, values.readers, pace])
  return async () => {
    const report = new Promise<unknown>((resolve) => child.once("message", resolve))
    child.send("end")
    return decodeReport(await report)
  }
}

/** Sends one request after another until the time is over. A failed request counts as ten seconds. */
const measureHonestClient = async (urls: ReadonlyArray<string>, key: string, duration: number) => {
  const times: Array<number> = []
  const end = performance.now() + duration * 1000
  while (performance.now() < end) {
    for (const url of urls) {
      const began = performance.now()
      const response = await fetch(url, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(10_000)
      })
        .then(async (answer) => answer.ok && (await answer.arrayBuffer()).byteLength > 0)
        .catch(() => false)
      times.push(response ? performance.now() - began : 10_000)
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  times.sort((left, right) => left - right)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { requests: times.length, median: at(0.5), p99: at(0.99), max: times.at(-1) ?? 0 }
}

const readGauge = async (url: string, name: string) => {
  const text = await fetch(`${url}/metrics`).then(
    (response) => response.text(),
    () => ""
  )
  return readMetrics(text).get(name)
}

/** Measures the seconds until the service has ended the responses that the clients do not read. */
const measureEndOfLists = async (url: string) => {
  const began = performance.now()
  const end = began + maxIdleSeconds * 1000
  while ((await readGauge(url, "http_large_lists")) !== 0 && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return (performance.now() - began) / 1000
}

/** Checks that readers of the largest lists neither end the process nor slow down a client of another workspace. */
const campaign = Effect.gen(function* () {
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "large-lists-"))),
    (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
  )
  const { url: databaseUrl } = yield* embeddedPostgres({ dataDir, durable: false })
  const { largeKey, ordinaryKey, post } = yield* fillDatabase.pipe(Effect.provide(repoLayer(databaseUrl)))
  const { crash, url } = yield* startService(databaseUrl)
  const honest = [`${url}/v1/posts/${post}`, `${url}/v1/posts?limit=20`]
  const failures: Array<string> = []

  const measure = Effect.fnUntraced(function* (title: string, list?: string, pace: "fast" | "slow" = "fast") {
    if (crash() !== undefined) return { title, requests: "the service has crashed" }
    return yield* Effect.promise(async () => {
      const end = list === undefined ? undefined : startReaders(`${url}${list}`, largeKey, pace)
      // The process of the readers takes a second to start.
      if (end !== undefined) await measureHonestClient(honest, ordinaryKey, 3)
      const times = await measureHonestClient(honest, ordinaryKey, seconds)
      const memory = Math.round(((await readGauge(url, "process_resident_memory_bytes")) ?? 0) / 1e6)
      const ended = pace === "slow" ? await measureEndOfLists(url) : 0
      const report = await end?.()
      if (times.p99 > maxP99) failures.push(`${title}: the 99th percentile was ${Math.round(times.p99)} ms`)
      if (ended >= maxIdleSeconds) failures.push(`${title}: the responses were not ended in time`)
      if (crash() !== undefined) failures.push(`${title}: the service crashed: ${crash()}`)
      return {
        title,
        requests: times.requests,
        "median, ms": times.median.toFixed(1),
        "p99, ms": times.p99.toFixed(1),
        "max, ms": times.max.toFixed(1),
        "memory, MB": memory,
        lists: JSON.stringify(report?.statuses ?? {}),
        "read, MB": report?.megabytes ?? 0,
        "ended after, s": Math.round(ended)
      }
    })
  })

  const page = "/v1/posts?limit=1000"
  yield* measure("warm-up")
  const rows = [
    yield* measure("nothing else"),
    yield* measure("pages", page),
    yield* measure("the group at its limit", `/v1/posts/group/${fullGroup}`),
    yield* measure("a group of 5,000 old posts", `/v1/posts/group/${oldGroup}`),
    yield* measure("pages, read by nobody", page, "slow"),
    yield* measure("after that")
  ]
  yield* Console.table(rows)
  yield* Console.log(
    failures.length === 0 ? "The service stayed up, and honest clients were served" : failures.join("\n")
  )
  yield* Effect.sync(() => {
    process.exitCode = failures.length === 0 ? 0 : 1
  })
})

NodeRuntime.runMain(Effect.scoped(campaign))
