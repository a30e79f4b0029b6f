import { assert, describe, it } from "@effect/vitest"
import { Cause, Console, Effect, Logger, Option, References, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { Configuration } from "../../src/config.ts"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { jsonLine, loggingLayer, redactingLogger } from "../../src/telemetry/logging.ts"

/** Runs a program and returns the lines that it logs. */
const capture = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = redactingLogger(Logger.map(jsonLine, (line) => void lines.push(line)))
    yield* program.pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "All")
    )
    return lines
  })

/** An error such as PostgreSQL's client creates. */
const violation = () =>
  Object.assign(new Error('new row for relation "posts" violates check constraint "posts_content"'), {
    code: "23514",
    detail: "Failing row contains (…, our text, …)"
  })

const Line = Schema.fromJsonString(Schema.Struct({ message: Schema.String }))

describe("redactingLogger", () => {
  it.effect("A line is a JSON object with the time, level, message and annotations as members", () =>
    Effect.gen(function* () {
      const [line = ""] = yield* capture(
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

  it.effect("Each line has the time at which it was logged", () =>
    Effect.gen(function* () {
      const lines = yield* capture(
        Effect.gen(function* () {
          yield* Effect.log("first")
          yield* Effect.log("at the same time")
          yield* TestClock.adjust("1 milli")
          yield* Effect.log("later")
        })
      )
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).timestamp),
        ["1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.001Z"]
      )
    })
  )

  it.effect("An error is logged with its name, message, stack and cause, but without the row that it carries", () =>
    Effect.gen(function* () {
      const unavailable = () => new DatabaseUnavailable({ operation: "creating a post", cause: violation() })
      const lines = yield* capture(
        Effect.gen(function* () {
          yield* Effect.logError("As a message", violation())
          yield* Effect.logError("As a cause", Cause.die(violation()))
          yield* Effect.logError("Around it", Cause.fail(unavailable()))
          yield* Effect.logError("Around it, as a message", unavailable())
        })
      )
      assert.lengthOf(lines, 4)
      for (const line of lines) {
        const { cause } = JSON.parse(line)
        assert.include(cause, "Error: new row for relation")
        assert.match(cause, /\n +at .*logging\.test\.ts/)
        assert.notInclude(line, "our text")
      }
      assert.include(lines[2], "DatabaseUnavailable: The database did not answer: creating a post")
    })
  )

  it.effect("A line repeats neither input that could not be parsed nor objects that were thrown or passed", () =>
    Effect.gen(function* () {
      const unreadable = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ text: Schema.Int })))
      const lines = yield* capture(
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

  it.effect("Credentials are removed from messages, defects and errors", () =>
    Effect.gen(function* () {
      const lines = yield* capture(
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

describe("loggingLayer", () => {
  it.effect("Lines of JSON are written together every tenth of a second, and warnings and errors at once", () =>
    Effect.gen(function* () {
      const writes: Array<string> = []
      const log = (text: string) => void writes.push(text)
      const recording = new Proxy(yield* Console.Console, {
        get: (own, name) => (name === "log" ? log : Reflect.get(own, name))
      })
      const config = { logFormat: Option.some("json"), logLevel: "info" } satisfies Partial<Configuration>
      const messages = () => writes.map((text) => text.split("\n").map((line) => Schema.decodeSync(Line)(line).message))
      yield* Effect.gen(function* () {
        yield* Effect.logInfo("one")
        yield* Effect.logInfo("two")
        yield* Effect.logWarning("odd")
        assert.deepStrictEqual(messages(), [["odd"]])
        yield* TestClock.adjust("100 millis")
        assert.deepStrictEqual(messages(), [["odd"], ["one", "two"]])
        yield* Effect.logInfo("last")
      }).pipe(Effect.provide(loggingLayer(config as Configuration)), Effect.provideService(Console.Console, recording))
      assert.deepStrictEqual(messages(), [["odd"], ["one", "two"], ["last"]])
    })
  )
})
