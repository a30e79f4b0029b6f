import { Effect, Schedule } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { open, readFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { compileCacheEnv, freePort } from "../../support/process/program.ts"
import { call } from "./calls.ts"
import { publicUrlOf } from "./publicUrls.ts"

const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url))
export const shorterWaits = new URL("shorterWaits.ts", import.meta.url).href

export interface ReplicaOptions {
  readonly env: Readonly<Record<string, string>>
  /** The factor by which the service's waits are shortened. */
  readonly pace: number
  readonly directory: string
  readonly name: string
  /** The program to run; by default the program of this checkout. */
  readonly main?: string
}

/** A replica of the service: a process with its own port, which can be ended and restarted. */
export interface Replica {
  readonly name: string
  readonly url: string
  readonly start: Effect.Effect<void>
  /** Ends the process, waits until it has exited, and returns the exit code; null if a signal ended it. */
  readonly end: (signal: "SIGKILL" | "SIGTERM") => Effect.Effect<number | null>
  /** Waits until /readyz succeeds. */
  readonly ready: Effect.Effect<void>
  /** Suspends the process with SIGSTOP. `resume` sends SIGCONT. */
  readonly freeze: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  readonly isFrozen: () => boolean
  /** The most memory that its current process has had in use, in bytes; 0 if it does not run. */
  readonly peakMemory: Effect.Effect<number>
  /** The number of exits without a signal from this script. */
  readonly crashes: () => number
}

export const makeReplica = Effect.fn("makeReplica")(function* (options: ReplicaOptions) {
  const url = `http://127.0.0.1:${yield* Effect.promise(freePort)}`
  const logFile = path.join(options.directory, `${options.name}.log`)
  const log = yield* Effect.acquireRelease(
    Effect.promise(() => open(logFile, "a")),
    (file) => Effect.promise(() => file.close())
  )
  let child: { readonly process: ChildProcess; readonly ended: Promise<number | null> } | undefined
  let isEndExpected = false
  let crashes = 0
  let isFrozen = false

  const start = Effect.sync(() => {
    isEndExpected = false
    isFrozen = false
    const started = spawn(process.execPath, ["--import", shorterWaits, options.main ?? main], {
      env: {
        PATH: process.env["PATH"],
        ...compileCacheEnv,
        HOST: "127.0.0.1",
        PORT: new URL(url).port,
        PUBLIC_URL: publicUrlOf(url),
        LOG_LEVEL: "warn",
        LOG_FORMAT: "json",
        CHAOS_PACE: String(options.pace),
        ...options.env
      },
      stdio: ["ignore", log.fd, log.fd]
    })
    const ended = new Promise<number | null>((resolve) => {
      started.once("exit", (code) => {
        if (!isEndExpected) crashes++
        resolve(code)
      })
    })
    child = { process: started, ended }
  })

  const setFrozen = (frozen: boolean) =>
    Effect.sync(() => {
      isFrozen = frozen
      child?.process.kill(frozen ? "SIGSTOP" : "SIGCONT")
    })

  const end: Replica["end"] = (signal) =>
    Effect.promise(async () => {
      isEndExpected = true
      child?.process.kill(signal)
      return child === undefined ? null : child.ended
    })

  /** If the process exits before it is ready, the campaign fails and shows the log. */
  const failOnExit = Effect.promise(async () => {
    await child?.ended
    return (await readFile(logFile, "utf8")).slice(-2_000)
  }).pipe(Effect.flatMap((logged) => Effect.die(new Error(`${options.name} exited instead of starting: ${logged}`))))

  yield* Effect.addFinalizer(() => end("SIGKILL"))
  return {
    name: options.name,
    url,
    start,
    end,
    ready: call(`${url}/readyz`).pipe(
      Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("50 millis") }),
      Effect.asVoid,
      Effect.raceFirst(failOnExit)
    ),
    freeze: setFrozen(true),
    resume: setFrozen(false),
    isFrozen: () => isFrozen,
    peakMemory: Effect.promise(async () => {
      const status = await readFile(`/proc/${child?.process.pid}/status`, "utf8").catch(() => "")
      return 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0)
    }),
    crashes: () => crashes
  } satisfies Replica
})
