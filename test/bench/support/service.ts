import { Effect, Redacted, Schedule } from "effect"
import { Base64 } from "effect/encoding"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { performance } from "node:perf_hooks"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { compileCacheEnv, freePort, root } from "../../support/process/program.ts"
import { call } from "../../chaos/support/calls.ts"
import { encryptionKey } from "../../chaos/support/world.ts"
import type { Database } from "./database.ts"

/** The same flags as in `npm start`, the unit for systemd and the image. */
const heapFlags = ["--max-semi-space-size=32", "--heap-growing-percent=40"]
const allocatorEnv = { MALLOC_ARENA_MAX: "2" }

/** Runs the service from the sources in a directory. */
export const sourcesIn = (directory: string) => [...heapFlags, path.join(directory, "src/main.ts")]

const fromSources = sourcesIn(root)

/** Runs the service from its sources. Its webhooks can reach this machine although its platforms are live. */
export const reachingLoopback = [
  "--import",
  fileURLToPath(new URL("reachLoopback.ts", import.meta.url)),
  ...fromSources
]

/** Builds the package, and returns the arguments that run its service. */
export const buildPackage = Effect.promise(async () => {
  await promisify(execFile)(process.execPath, [".deploy/build.mjs"], { cwd: root })
  return [...heapFlags, path.join(root, "dist/bin/social-publisher.mjs"), "start"]
})

/** The highest value that can be configured. Requests are counted, but never reach the limit. */
const unreachedRateLimit = "1000000"

/**
 * Starts the service in a separate process as it is deployed, with every protection and the log level info; the log is
 * discarded. Waits until the service is ready.
 */
export const startService = Effect.fn("startService")(function* (
  database: Database,
  env: Readonly<Record<string, string>> = {},
  program: ReadonlyArray<string> = fromSources
) {
  const port = yield* Effect.promise(freePort)
  const url = `http://127.0.0.1:${port}`
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "benchmark-service-"))),
    (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
  )
  const began = performance.now()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, program, {
        env: {
          PATH: process.env["PATH"],
          ...compileCacheEnv,
          ...allocatorEnv,
          PORT: `${port}`,
          DATA_DIR: dataDir,
          DEMO_EXAMPLES: "off",
          DATABASE_URL: Redacted.value(database.url),
          ENCRYPTION_KEY: Base64.encode(encryptionKey),
          RATE_LIMIT_PER_MINUTE: unreachedRateLimit,
          LOG_FORMAT: "json",
          ...env
        },
        stdio: ["ignore", "ignore", "pipe"]
      })
    ),
    (started) =>
      Effect.promise(async () => {
        if (started.exitCode !== null || started.signalCode !== null) return
        const ended = once(started, "exit")
        started.kill("SIGTERM")
        await ended
      })
  )
  let errors = ""
  child.stderr.on("data", (chunk) => void (errors += String(chunk)))
  // While a process runs, its standard error contains only the greeting.
  child.once("exit", (code) => code !== 0 && process.stderr.write(errors))
  const exited = Effect.promise(() => once(child, "exit")).pipe(
    Effect.flatMap(([code]) => Effect.die(new Error(`The service exited with ${code} instead of starting`)))
  )
  yield* call(`${url}/readyz`).pipe(
    Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("10 millis") }),
    Effect.raceFirst(exited)
  )
  return { url, port, pid: child.pid ?? 0, readyAfter: performance.now() - began }
})
