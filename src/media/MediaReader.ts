import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Duration, Effect, Layer, Schema, Semaphore, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { getCompileCacheDir } from "node:module"
import { fileURLToPath } from "node:url"
import { Answer, Order } from "./child/protocol.ts"

/** The child could not read a file: it crashed, ran out of memory or took too long. The file is to blame. */
export class UnreadableFile extends Schema.TaggedError<UnreadableFile>()("UnreadableFile", {
  message: Schema.String
}) {}

// The built package has it beside the service, as JavaScript.
const program = fileURLToPath(
  import.meta.url.endsWith(".ts")
    ? new URL("child/program.ts", import.meta.url)
    : new URL("child/program.js", import.meta.url)
)

/** Of one file. */
const timeout = Duration.seconds(20)

/** What the child may allocate, in KiB: an image of 64 megapixels takes a quarter of it. */
const maxMemory = 2 * 1024 * 1024

/** Of the child's answer, and of what it says on standard error. */
const maxAnswer = 512 * 1024

// Where the system has no such limit, the child runs without one.
const limited = `ulimit -d ${maxMemory} 2>/dev/null; ulimit -c 0 2>/dev/null; exec "$@"`

const encodeOrder = Schema.encodeEffect(Schema.fromJsonString(Order))
const decodeAnswer = Schema.decodeEffect(Schema.fromJsonString(Answer))

const firstText = <E>(stream: Stream.Stream<Uint8Array, E>) =>
  Stream.runFold(
    Stream.decodeText(stream),
    () => "",
    (text, part) => (text + part).slice(0, maxAnswer)
  )

const unreadable = (detail: string) => new UnreadableFile({ message: `The file could not be read: ${detail}` })

/**
 * Reads the files that strangers sent, in a child process: one file at a time, for 20 seconds at most, in limited memory and
 * without the service's environment. Each file has a child of its own, so that a crash, or what a file leaves in memory, affects
 * no other.
 */
export class MediaReader extends Context.Service<
  MediaReader,
  {
    /** Reads a file and makes the outputs. A refusal is an answer. */
    readonly read: (order: Order) => Effect.Effect<Answer, UnreadableFile>
  }
>()("social-publisher/media/MediaReader") {
  /** `programPath` is for tests. */
  static readonly layerWith = (programPath: string) =>
    Layer.effect(
      MediaReader,
      Effect.gen(function* () {
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const turns = yield* Semaphore.make(1)
        const cache = getCompileCacheDir()

        const run = Effect.fnUntraced(function* (order: Order) {
          const input = yield* Effect.orDie(encodeOrder(order))
          const child = yield* spawner.spawn(
            ChildProcess.make(
              "/bin/sh",
              ["-c", limited, "sh", process.execPath, "--max-old-space-size=256", programPath],
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
            return yield* unreadable("reading it failed")
          }
          return yield* Effect.mapError(decodeAnswer(answer), () => unreadable("reading it failed"))
        }, Effect.scoped)

        const read = Effect.fn("MediaReader.read")((order: Order): Effect.Effect<Answer, UnreadableFile> =>
          run(order).pipe(
            Effect.catchTag("PlatformError", (error) =>
              Effect.andThen(
                Effect.logWarning("The child that reads media failed", error),
                Effect.fail(unreadable("reading it failed"))
              )
            ),
            Effect.timeoutOrElse({
              duration: timeout,
              orElse: () => Effect.fail(unreadable(`it takes longer than ${Duration.toSeconds(timeout)} seconds`))
            }),
            turns.withPermits(1)
          )
        )
        return MediaReader.of({ read })
      })
    ).pipe(Layer.provide(NodeServices.layer))

  static readonly layer = MediaReader.layerWith(program)
}
