import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Schema } from "effect"
import { fork } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { performance } from "node:perf_hooks"
import { parseArgs } from "node:util"
import { freePort, runProgram } from "../support/process/program.ts"
import { readMetrics } from "../support/telemetry/capturedTelemetry.ts"

const { values } = parseArgs({
  options: { clients: { type: "string", default: "4000" }, seconds: { type: "string", default: "60" } }
})
const seconds = Number(values.seconds)

interface Service {
  readonly url: string
  readonly key: string
}

/** The limit of the service's heap. The process dies if it needs more. */
const heapMegabytes = 256

/** Starts the service with its default settings, except for the rate limit and the heap. */
const startService = Effect.acquireRelease(
  Effect.promise(async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), "slow-clients-"))
    const port = await freePort()
    const env = {
      PORT: `${port}`,
      DATA_DIR: dataDir,
      RATE_LIMIT_PER_MINUTE: "1000000",
      LOG_LEVEL: "error",
      NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`
    }
    const process = runProgram("src/main.ts", [], env)
    const [, key = ""] = await process.printed(/API key {5}(\S+)/)
    return { dataDir, process, url: `http://127.0.0.1:${port}`, key }
  }),
  ({ dataDir, process }) =>
    Effect.promise(async () => {
      process.kill("SIGTERM")
      await process.ended
      await rm(dataDir, { recursive: true, force: true })
    })
)

const startSlowClients = ({ key, url }: Service) =>
  Effect.acquireRelease(
    Effect.sync(() => fork(path.join(import.meta.dirname, "support/slowClients.ts"), [url, key, values.clients])),
    (child) => Effect.sync(() => child.kill())
  )

/**
 * Measures the response times of a normal client, in milliseconds. The client sends one request after another for some
 * seconds.
 */
const measureNormalClient = ({ key, url }: Service, duration: number) =>
  Effect.promise(async () => {
    const times: Array<number> = []
    const end = performance.now() + duration * 1000
    while (performance.now() < end) {
      const began = performance.now()
      const response = await fetch(`${url}/v1/posts?limit=5`, { headers: { authorization: `Bearer ${key}` } })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`A normal client got a ${response.status}`)
      times.push(performance.now() - began)
    }
    times.sort((left, right) => left - right)
    const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
    return { requests: times.length, median: at(0.5), p99: at(0.99) }
  })

const readGauges = ({ url }: Service) =>
  Effect.promise(async () => {
    const read = readMetrics(await (await fetch(`${url}/metrics`)).text())
    const megabytes = Math.round((read.get("process_resident_memory_bytes") ?? 0) / 1e6)
    return { megabytes, connections: read.get("http_connections") ?? 0 }
  })

const Whole = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20_000 }))

/**
 * Load test against slowloris: thousands of clients that are slow in every possible way must not slow down a normal
 * client.
 */
const campaign = Effect.gen(function* () {
  const clients = yield* Schema.decodeEffect(Whole)(Number(values.clients))
  const service = yield* startService
  yield* measureNormalClient(service, 10)
  const baseline = yield* measureNormalClient(service, seconds / 2)
  const before = yield* readGauges(service)
  yield* startSlowClients(service)
  // After this time every client has connected, and the service has closed the first connections of each kind.
  yield* measureNormalClient(service, clients / 1000 + 45)
  const loaded = yield* measureNormalClient(service, seconds)
  const after = yield* readGauges(service)
  yield* Console.table({
    "requests a second": [baseline.requests / (seconds / 2), loaded.requests / seconds].map(Math.round),
    "median, ms": [baseline.median.toFixed(2), loaded.median.toFixed(2)],
    "99th percentile, ms": [baseline.p99.toFixed(2), loaded.p99.toFixed(2)],
    connections: [before.connections, after.connections],
    "memory, MB": [before.megabytes, after.megabytes]
  })
  const failures = [
    ...(loaded.median > 2 * baseline.median ? ["the median more than doubled"] : []),
    ...(after.connections < clients / 2 ? ["fewer than half of the clients were connected"] : [])
  ]
  yield* Console.log(failures.length === 0 ? "A normal client was not slowed down" : failures.join("\n"))
  yield* Effect.sync(() => {
    process.exitCode = failures.length === 0 ? 0 : 1
  })
})

NodeRuntime.runMain(Effect.scoped(campaign))
