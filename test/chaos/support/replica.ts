import { Effect, Schedule } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { open, readFile } from "node:fs/promises"
import { createServer } from "node:net"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { compileCacheEnv } from "../../support/process/program.ts"
import { call } from "./calls.ts"

const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url))
const shorterWaits = new URL("shorterWaits.ts", import.meta.url).href

export interface ReplicaOptions {
  /** What the process is configured by. */
  readonly env: Readonly<Record<string, string>>
  /** How many times shorter the service's waits are. */
  readonly pace: number
  /** Where the log goes. */
  readonly directory: string
  readonly name: string
}

/** A process of the service on a port of its own, which can be ended and started again. */
export interface Replica {
  readonly name: string
  readonly url: string
  readonly start: Effect.Effect<void>
  /** Ends the process, and answers its exit code once it has gone; null where a signal ended it. */
  readonly end: (signal: "SIGKILL" | "SIGTERM") => Effect.Effect<number | null>
  /** Waits until it can serve. */
  readonly ready: Effect.Effect<void>
  /** How often it has ended without having been told to. */
  readonly crashes: () => number
}

/** Below the ports that outgoing connections get, so that none of those is in the way of a restart. */
const freePort = Effect.promise(async () => {
  for (;;) {
    const port = randomInt(20_000, 32_768)
    const listener = createServer()
    const free = await new Promise<boolean>((resolve) => {
      listener.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true))
    })
    listener.close()
    if (free) return port
  }
})

export const makeReplica = Effect.fn("makeReplica")(function* (options: ReplicaOptions) {
  const url = `http://127.0.0.1:${yield* freePort}`
  const logFile = path.join(options.directory, `${options.name}.log`)
  const log = yield* Effect.acquireRelease(
    Effect.promise(() => open(logFile, "a")),
    (file) => Effect.promise(() => file.close())
  )
  let child: { readonly process: ChildProcess; readonly ended: Promise<number | null> } | undefined
  let expected = false
  let crashes = 0

  const start = Effect.sync(() => {
    expected = false
    const started = spawn(process.execPath, ["--import", shorterWaits, main], {
      env: {
        PATH: process.env["PATH"],
        ...compileCacheEnv,
        HOST: "127.0.0.1",
        PORT: new URL(url).port,
        LOG_LEVEL: "warn",
        LOG_FORMAT: "json",
        CHAOS_PACE: String(options.pace),
        ...options.env
      },
      stdio: ["ignore", log.fd, log.fd]
    })
    const ended = new Promise<number | null>((resolve) => {
      started.once("exit", (code) => {
        if (!expected) crashes++
        resolve(code)
      })
    })
    child = { process: started, ended }
  })

  const end: Replica["end"] = (signal) =>
    Effect.promise(async () => {
      expected = true
      child?.process.kill(signal)
      return child === undefined ? null : child.ended
    })

  /** Fails the campaign where the process ends instead, and says what it said. */
  const neverEnds = Effect.promise(async () => {
    await child?.ended
    return (await readFile(logFile, "utf8")).slice(-2_000)
  }).pipe(Effect.flatMap((said) => Effect.die(new Error(`${options.name} ended instead of starting: ${said}`))))

  yield* Effect.addFinalizer(() => end("SIGKILL"))
  return {
    name: options.name,
    url,
    start,
    end,
    ready: call(`${url}/readyz`).pipe(
      Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("50 millis") }),
      Effect.asVoid,
      Effect.raceFirst(neverEnds)
    ),
    crashes: () => crashes
  } satisfies Replica
})
