import { Effect, Schema } from "effect"
import { writeFileSync } from "node:fs"
import { text } from "node:stream/consumers"
import { isVideo } from "../../limits.ts"
import { Answer, isSystemError, Order, type Processed, type Refusal, systemFailure } from "./protocol.ts"

// Decodes strangers' files without secrets. Reads one order from standard input, answers on standard output and ends.

/** If memory runs out, Linux ends this process before any other. */
const offerMemory = Effect.ignore(Effect.try(() => writeFileSync("/proc/self/oom_score_adj", "1000")))

const processFile = (order: Order): Effect.Effect<Processed, Refusal> =>
  isVideo(order.contentType)
    ? Effect.flatMap(
        Effect.promise(() => import("./video.ts")),
        ({ processVideo }) => processVideo(order)
      )
    : Effect.flatMap(
        Effect.promise(() => import("./image.ts")),
        ({ processImage }) => processImage(order)
      )

const main = Effect.gen(function* () {
  yield* offerMemory
  const order = yield* Schema.decodeEffect(Schema.fromJsonString(Order))(
    yield* Effect.promise(() => text(process.stdin))
  )
  const answer = yield* processFile(order).pipe(
    Effect.map((done): Answer => ({ _tag: "Done", ...done })),
    Effect.catchTag("Refusal", ({ message }) => Effect.succeed<Answer>({ _tag: "Refused", message }))
  )
  process.stdout.write(`${yield* Schema.encodeEffect(Schema.fromJsonString(Answer))(answer)}\n`)
})

await Effect.runPromise(
  Effect.catchDefect(main, (defect) =>
    isSystemError(defect)
      ? Effect.sync(() => {
          process.stderr.write(String(defect))
          process.exitCode = systemFailure
        })
      : Effect.die(defect)
  )
)
