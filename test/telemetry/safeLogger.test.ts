import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger, References, Schema } from "effect"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { jsonLine } from "../../src/telemetry/jsonLine.ts"
import { safeLogger } from "../../src/telemetry/safeLogger.ts"

/** The lines that are written while something runs. */
const linesOf = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = safeLogger(Logger.map(jsonLine, (line) => void lines.push(line)))
    yield* program.pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "All")
    )
    return lines
  })

/** As PostgreSQL's client makes them. */
const violation = () =>
  Object.assign(new Error('new row for relation "posts" violates check constraint "posts_content"'), {
    code: "23514",
    detail: "Failing row contains (…, our text, …)"
  })

describe("a line of the log", () => {
  it.effect("is JSON that has the message, the level, the time and what was annotated, beside each other", () =>
    Effect.gen(function* () {
      const [line = ""] = yield* linesOf(
        Effect.annotateLogs(Effect.logWarning("Something", "odd"), { request_id: "r1", status: 200, took: 3n, at: {} })
      )
      assert.deepStrictEqual(JSON.parse(line), {
        timestamp: "1970-01-01T00:00:00.000Z",
        level: "WARN",
        message: "Something odd",
        request_id: "r1",
        status: 200,
        took: "3",
        at: "…"
      })
    })
  )

  it.effect("has an error's name, message, stack and cause, wherever it was passed, but not the row it carries", () =>
    Effect.gen(function* () {
      const away = () => new DatabaseUnavailable({ operation: "creating a post", cause: violation() })
      const lines = yield* linesOf(
        Effect.gen(function* () {
          yield* Effect.logError("As a message", violation())
          yield* Effect.logError("As a cause", Cause.die(violation()))
          yield* Effect.logError("Around it", Cause.fail(away()))
          yield* Effect.logError("Around it, as a message", away())
        })
      )
      assert.lengthOf(lines, 4)
      for (const line of lines) {
        const { cause } = JSON.parse(line)
        assert.include(cause, "Error: new row for relation")
        assert.match(cause, /\n +at .*safeLogger\.test\.ts/)
        assert.notInclude(line, "our text")
      }
      assert.include(lines[2], "DatabaseUnavailable: The database did not answer: creating a post")
    })
  )

  it.effect("does not repeat what could not be read, nor an object that was thrown or passed", () =>
    Effect.gen(function* () {
      const unreadable = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ text: Schema.Int })))
      const lines = yield* linesOf(
        Effect.gen(function* () {
          yield* Effect.logError("Schema", yield* Effect.flip(unreadable('{"text":"our text"}')))
          for (const text of ['{"our text": 1,}', "our text"]) {
            yield* Effect.catchDefect(
              Effect.sync(() => JSON.parse(text)),
              (defect) => Effect.logError("JSON", Cause.die(defect))
            )
          }
          yield* Effect.logError("Thrown", Cause.die({ content: "our text" }))
          yield* Effect.logInfo("Passed", { content: "our text" })
        })
      )
      assert.lengthOf(lines, 5)
      for (const line of lines) assert.notInclude(line, "our text")
    })
  )

  it.effect("lacks what looks like a credential, also in a message or a defect", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(
        Effect.gen(function* () {
          yield* Effect.logInfo("Sent Authorization: Bearer abc.def")
          yield* Effect.logInfo("Connected to postgres://user:hunter2@db/posts")
          yield* Effect.logError("Odd", Cause.die("password=hunter2"))
          yield* Effect.logError("Odd", Cause.die(new Error("sps_Abc1 is not known")))
          yield* Effect.logError("Odd", new Error("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 has run out"))
        })
      )
      assert.notMatch(lines.join("\n"), /abc\.def|hunter2|sps_|eyJ/)
      assert.include(lines[1], "postgres://…@db/posts")
    })
  )
})
