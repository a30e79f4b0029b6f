import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Duration, Effect, Layer, Record, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { getCompileCacheDir } from "node:module"
import { constants } from "node:os"
import { fileURLToPath } from "node:url"
import type { WorkspaceId } from "../../domain/ids.ts"
import { makeWorkspaceTurns } from "../../domain/workspaceTurns.ts"
import { Answer, Order, systemFailure } from "./child/protocol.ts"

/** The child crashed, ran out of memory or computed for too long, because of the file. */
export class UnreadableFile extends Schema.TaggedError<UnreadableFile>()("UnreadableFile", {
  message: Schema.String
}) {}

/** The system did not start the child, ended it, or gave it too little time. The file may be read later. */
export class ReadingEnded extends Schema.TaggedError<ReadingEnded>()("ReadingEnded", { message: Schema.String }) {}

// The built package has the program next to the service, as JavaScript.
const program = fileURLToPath(
  import.meta.url.endsWith(".ts")
    ? new URL("child/program.ts", import.meta.url)
    : new URL("child/program.js", import.meta.url)
)

/** Per file. A PNG of 30 MB with noise in its alpha channel takes 50 s. */
const defaultCpuSeconds = 60

/** Ends a child that hangs. Long enough for `defaultCpuSeconds` on a busy machine. */
const timeout = Duration.minutes(3)

/** In KiB. An image of 64 megapixels takes a quarter of it. */
const maxMemory = 2 * 1024 * 1024

/** The parts to erase take 60 bytes each. */
const maxAnswer = 4 * 1024 * 1024

// If the system lacks one of these limits, the child runs without it. The shell waits for the child, and exits with 128
// plus the signal that ended it. The soft CPU limit sends SIGXCPU; the hard limit ends a child that ignores SIGXCPU.
const limited = (cpuSeconds: number) =>
  [
    `ulimit -d ${maxMemory} 2>/dev/null`,
    "ulimit -c 0 2>/dev/null",
    `ulimit -S -t ${cpuSeconds} 2>/dev/null`,
    `ulimit -H -t ${cpuSeconds + 5} 2>/dev/null`,
    '"$@"',
    "exit $?"
  ].join("; ")

const { SIGHUP, SIGINT, SIGKILL, SIGTERM, SIGXCPU } = constants.signals

/** In the last words of a process that V8 ends. */
const outOfMemory = "heap out of memory"

const afterSignal = (signal: number) => 128 + signal

/** Signals from outside the child. If memory runs out, Linux sends SIGKILL. */
const endedBySystem = new Set([SIGHUP, SIGINT, SIGKILL, SIGTERM].map(afterSignal))

/** The shell could not fork (2 or 254), or could not run the program (126 and 127). */
const notStarted = new Set([2, 126, 127, 254])

const encodeOrder = Schema.encodeEffect(Schema.fromJsonString(Order))
const decodeAnswer = Schema.decodeEffect(Schema.fromJsonString(Answer))

const firstText = <E>(stream: Stream.Stream<Uint8Array, E>) =>
  Stream.runFold(
    Stream.decodeText(stream),
    () => "",
    (text, part) => (text + part).slice(0, maxAnswer)
  )

const unreadable = (detail: string) => new UnreadableFile({ message: `The file could not be read: ${detail}` })
const ended = (detail: string) => new ReadingEnded({ message: `The file could not be read: ${detail}` })

const toError = (status: number, errors: string, cpuSeconds: number): UnreadableFile | ReadingEnded => {
  if (status === afterSignal(SIGXCPU)) return unreadable(`it takes more than ${cpuSeconds} seconds of processor time`)
  if (errors.includes(outOfMemory)) return unreadable("it takes too much memory; export it again, a video as MP4")
  if (endedBySystem.has(status)) return ended("the system ended the reading")
  if (notStarted.has(status)) return ended("the reading could not be started")
  return status === systemFailure ? ended("the system failed") : unreadable("reading it failed")
}

/**
 * Each lane reads one file at a time, so that small pictures, and those of links and accounts, do not wait for large
 * files.
 */
const lanes = {
  small: { total: 1, perWorkspace: 1 },
  large: { total: 1, perWorkspace: 1 },
  shown: { total: 1, perWorkspace: 1 }
}

export interface ReadingTurn {
  readonly lane: keyof typeof lanes
  readonly workspaceId: WorkspaceId
}

/**
 * Reads strangers' files in child processes, in turns of the workspaces, with limited CPU time and memory, and without
 * the service's environment. Each file has its own child, so that a crash or leftover memory affects no other file.
 */
export class MediaReader extends Context.Service<
  MediaReader,
  {
    /** If the child refuses the file, this succeeds with the refusal as the answer. */
    readonly read: (order: Order, turn: ReadingTurn) => Effect.Effect<Answer, UnreadableFile | ReadingEnded>
  }
>()("social-publisher/media/MediaReader") {
  static readonly layerWith = (programPath: string, cpuSeconds = defaultCpuSeconds) =>
    Layer.effect(
      MediaReader,
      Effect.gen(function* () {
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const turns = Record.map(lanes, makeWorkspaceTurns)
        const cache = getCompileCacheDir()

        const run = Effect.fnUntraced(function* (order: Order) {
          const input = yield* Effect.orDie(encodeOrder(order))
          const child = yield* spawner.spawn(
            ChildProcess.make(
              "/bin/sh",
              ["-c", limited(cpuSeconds), "sh", process.execPath, "--max-old-space-size=256", programPath],
              {
                env: { MALLOC_ARENA_MAX: "2", ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }) },
                extendEnv: false,
                stdin: Stream.make(new TextEncoder().encode(input)),
                killSignal: "SIGKILL"
              }
            )
          )
          const [answer, errors, code] = yield* Effect.all(
            [firstText(child.stdout), firstText(child.stderr), child.exitCode],
            { concurrency: "unbounded" }
          )
          if (code !== 0) {
            yield* Effect.logWarning(`The child that reads media ended with ${code}: ${errors.slice(-2_000)}`)
            return yield* toError(code, errors, cpuSeconds)
          }
          return yield* Effect.mapError(decodeAnswer(answer), () => unreadable("reading it failed"))
        }, Effect.scoped)

        const read = Effect.fn("MediaReader.read")(
          (order: Order, { lane, workspaceId }: ReadingTurn): Effect.Effect<Answer, UnreadableFile | ReadingEnded> =>
            run(order).pipe(
              Effect.catchTag("PlatformError", (error) =>
                Effect.andThen(
                  Effect.logWarning("The child that reads media failed", error),
                  Effect.fail(ended("the system failed"))
                )
              ),
              Effect.timeoutOrElse({
                duration: timeout,
                orElse: () => Effect.fail(ended(`it takes longer than ${Duration.toMinutes(timeout)} minutes`))
              }),
              turns[lane].inTurn(workspaceId)
            )
        )
        return MediaReader.of({ read })
      })
    ).pipe(Layer.provide(NodeServices.layer))

  static readonly layer = MediaReader.layerWith(program)
}
