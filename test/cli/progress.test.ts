import { assert, describe, it } from "@effect/vitest"
import { Console, Deferred, Duration, Effect, Fiber, Sink, Stdio } from "effect"
import { TestClock } from "effect/testing"
import { formatBar, showProgress } from "../../src/cli/progress.ts"
import { withProgress } from "../../src/domain/progress.ts"

const amount = {
  _tag: "Amount",
  title: "Backing up",
  done: 370_000,
  total: 900_000,
  isTotalEstimated: true,
  unit: "rows"
} as const
const part = { _tag: "Part", title: "Building index", part: 2, parts: 3, detail: "posts_by_tag" } as const

const clearLine = "\r\u001B[2K"

describe("formatBar", () => {
  const at = (columns: number) => formatBar(amount, Duration.seconds(10), columns)

  it("A bar grows with the terminal, and gives way to the text and then to its most important part", () => {
    assert.deepStrictEqual(
      [200, 80, 60, 40, 20, 10, 4].map((columns) => at(columns)),
      [
        `Backing up [${"#".repeat(12)}${".".repeat(18)}] 41% of about 900,000 rows, 15 s left`,
        `Backing up [${"#".repeat(7)}${".".repeat(12)}] 41% of about 900,000 rows, 15 s left`,
        "Backing up: 41% of about 900,000 rows, 15 s left",
        "Backing up: 41%, 15 s left",
        "Backing up: 41%",
        "41%",
        "41%"
      ]
    )
  })

  it("The text of any step is narrower than the terminal, of which some go on to the next line in the last column", () => {
    for (const progress of [amount, part, { ...amount, total: null }]) {
      for (let columns = 1; columns < 120; columns++) {
        assert.isBelow(formatBar(progress, Duration.seconds(10), columns).length, columns)
      }
    }
  })

  it("The bar of a part shows how many are done", () => {
    assert.strictEqual(
      formatBar(part, Duration.seconds(3), 80),
      `Building index [${"#".repeat(6)}${".".repeat(13)}] 2 of 3: posts_by_tag, 3 s so far`
    )
  })

  it("What has no share has no bar", () => {
    assert.strictEqual(formatBar({ ...amount, total: null }, Duration.zero, 80), "Backing up: 370,000 rows")
  })
})

/** Shows work that lasts until its end and may print a warning; `written` is what is on standard error. */
const showWork = Effect.fnUntraced(function* (args: ReadonlyArray<string>, isTerminal: boolean) {
  const written: Array<string> = []
  const write = (text: unknown) => void written.push(String(text))
  const recorded: Console.Console = { ...globalThis.console, error: (text: unknown) => write(`${String(text)}\n`) }
  const end = yield* Deferred.make<void>()
  const warn = yield* Deferred.make<void>()
  const work = yield* withProgress((report) => {
    report(amount)
    return Effect.andThen(
      Effect.forkChild(Effect.andThen(Deferred.await(warn), Console.error("A warning"))),
      Deferred.await(end)
    )
  }).pipe(
    showProgress(args),
    Effect.provide(
      Stdio.layerTest({
        stderrIsTerminal: Effect.succeed(isTerminal),
        stderr: () => Sink.forEach((text: string | Uint8Array) => Effect.sync(() => write(text)))
      })
    ),
    Effect.provideService(Console.Console, recorded),
    Effect.forkChild
  )
  yield* Effect.yieldNow
  return {
    written,
    warn: Effect.andThen(Deferred.succeed(warn, undefined), TestClock.adjust("1 millis")),
    end: Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(work)),
    interrupt: Fiber.interrupt(work)
  }
})

describe("showProgress", () => {
  const bar = (rest: string) => `${clearLine}Backing up [#######............] 41% of about 900,000 rows, ${rest} left`

  it.effect("On a terminal one line is rewritten after half a second, and cleared at the end", () =>
    Effect.gen(function* () {
      const { end, written } = yield* showWork(["backup"], true)
      yield* TestClock.adjust("400 millis")
      assert.deepStrictEqual(written, [])
      yield* TestClock.adjust("300 millis")
      assert.deepStrictEqual(written, [bar("1 s"), bar("2 s")])
      yield* end
      assert.deepStrictEqual(written.slice(2), [clearLine])
    })
  )

  it.effect("Nothing is written to a terminal where the work ends sooner", () =>
    Effect.gen(function* () {
      const { end, written } = yield* showWork(["backup"], true)
      yield* TestClock.adjust("400 millis")
      yield* end
      assert.deepStrictEqual(written, [])
    })
  )

  it.effect("A warning takes the line's place, and the line goes on below it", () =>
    Effect.gen(function* () {
      const { end, warn, written } = yield* showWork(["backup"], true)
      yield* TestClock.adjust("500 millis")
      yield* warn
      yield* TestClock.adjust("200 millis")
      yield* end
      assert.deepStrictEqual(written, [bar("1 s"), `${clearLine}A warning\n`, bar("2 s"), clearLine])
    })
  )

  it.effect("An interruption leaves a clear line", () =>
    Effect.gen(function* () {
      const { interrupt, written } = yield* showWork(["backup"], true)
      yield* TestClock.adjust("500 millis")
      yield* interrupt
      assert.deepStrictEqual(written, [bar("1 s"), clearLine])
    })
  )

  it.effect("Elsewhere a line follows every five seconds", () =>
    Effect.gen(function* () {
      const { end, warn, written } = yield* showWork(["backup"], false)
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(written, [])
      yield* warn
      yield* TestClock.adjust("6 seconds")
      yield* end
      const line = "Backing up: 41% of about 900,000 rows"
      assert.deepStrictEqual(written, ["A warning\n", `${line}, 8 s left\n`, `${line}, 15 s left\n`])
    })
  )

  it.effect("A script that asks for JSON is shown nothing, also on a terminal", () =>
    Effect.gen(function* () {
      for (const isTerminal of [true, false]) {
        const { end, written } = yield* showWork(["backup", "--json", "file"], isTerminal)
        yield* TestClock.adjust("1 minute")
        yield* end
        assert.deepStrictEqual(written, [])
      }
    })
  )
})
