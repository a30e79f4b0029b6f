import { NodeRuntime } from "@effect/platform-node"
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

/** More would end the process. */
const heapMegabytes = 256

/** The service as a newcomer starts it, but for the limit of requests and a heap that is bounded. */
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

const crowd = ({ key, url }: Service) =>
  Effect.acquireRelease(
    Effect.sync(() => fork(path.join(import.meta.dirname, "support/slowCrowd.ts"), [url, key, values.clients])),
    (child) => Effect.sync(() => child.kill())
  )

/** Milliseconds that answers to an honest client took, one request after the other. */
const honest = ({ key, url }: Service, lasting: number) =>
  Effect.promise(async () => {
    const times: Array<number> = []
    const end = performance.now() + lasting * 1000
    while (performance.now() < end) {
      const began = performance.now()
      const answer = await fetch(`${url}/v1/posts?limit=5`, { headers: { authorization: `Bearer ${key}` } })
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`An honest request was answered ${answer.status}`)
      times.push(performance.now() - began)
    }
    times.sort((left, right) => left - right)
    const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
    return { requests: times.length, median: at(0.5), p99: at(0.99) }
  })

const figures = ({ url }: Service) =>
  Effect.promise(async () => {
    const read = readMetrics(await (await fetch(`${url}/metrics`)).text())
    const megabytes = Math.round((read.get("process_resident_memory_bytes") ?? 0) / 1e6)
    return { megabytes, connections: read.get("http_connections") ?? 0 }
  })

const Whole = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20_000 }))

/** Thousands of clients that are slow in every way, and one that is not and must not notice. */
const campaign = Effect.gen(function* () {
  const clients = yield* Schema.decodeEffect(Whole)(Number(values.clients))
  const service = yield* startService
  yield* honest(service, 10)
  const alone = yield* honest(service, seconds / 2)
  const before = yield* figures(service)
  yield* crowd(service)
  // Every client has come by then, and the first of each kind has been hung up on.
  yield* honest(service, clients / 1000 + 45)
  const among = yield* honest(service, seconds)
  const after = yield* figures(service)
  yield* Console.table({
    "requests a second": [alone.requests / (seconds / 2), among.requests / seconds].map(Math.round),
    "median, ms": [alone.median.toFixed(2), among.median.toFixed(2)],
    "99th percentile, ms": [alone.p99.toFixed(2), among.p99.toFixed(2)],
    connections: [before.connections, after.connections],
    "memory, MB": [before.megabytes, after.megabytes]
  })
  const faults = [
    ...(among.median > 2 * alone.median ? ["the median more than doubled"] : []),
    ...(after.connections < clients / 2 ? ["fewer than half of the clients were connected"] : [])
  ]
  yield* Console.log(faults.length === 0 ? "An honest client noticed nothing" : faults.join("\n"))
  yield* Effect.sync(() => {
    process.exitCode = faults.length === 0 ? 0 : 1
  })
})

NodeRuntime.runMain(Effect.scoped(campaign))
