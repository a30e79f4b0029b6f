import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { pacedDisplay, type Progress, ProgressDisplay, progressLine, withProgress } from "../../src/domain/progress.ts"

const rows = {
  _tag: "Amount",
  title: "Backing up",
  done: 0,
  total: null,
  isTotalEstimated: false,
  unit: "rows"
} as const

const line = (progress: Progress, elapsed: Duration.Input = "10 seconds") =>
  progressLine(progress, Duration.fromInputUnsafe(elapsed))

describe("progressLine", () => {
  it("An amount has the share that is done, of how much, and how long the rest takes at the same pace", () => {
    assert.strictEqual(line({ ...rows, done: 250, total: 1_000 }), "Backing up: 25% of 1,000 rows, 30 s left")
    assert.strictEqual(
      line({ ...rows, title: "Restoring", done: 38_000_000, total: 40_200_000, unit: "bytes" }, "5 minutes"),
      "Restoring: 94% of 40.2 MB, 18 s left"
    )
  })

  it("The time that is left is in seconds, minutes or hours, and not below zero", () => {
    const left = (done: number, elapsed: Duration.Input) =>
      / (\d+ \w+) left$/.exec(line({ ...rows, done, total: 100 }, elapsed))?.[1]
    assert.deepStrictEqual(
      [left(50, "99 seconds"), left(50, "100 seconds"), left(1, "2 minutes"), left(100, "1 minute")],
      ["99 s", "2 min", "4 h", "0 s"]
    )
  })

  it("An estimate of the total is rounded and called about, and is not shown once there is more", () => {
    const estimated = { ...rows, total: 371_234, isTotalEstimated: true }
    assert.strictEqual(line({ ...estimated, done: 0 }), "Backing up: 0% of about 370,000 rows")
    assert.strictEqual(line({ ...estimated, done: 384_803 }), "Backing up: 384,803 rows")
  })

  it("An amount without a total has what is done alone, and so has one of nothing", () => {
    assert.strictEqual(line({ ...rows, done: 2_500_000, unit: "bytes" }), "Backing up: 2.5 MB")
    assert.strictEqual(line({ ...rows, total: 0 }), "Backing up: 0 rows")
  })

  it("A part has its number, what it is, and how long the work has taken, without a guess at the rest", () => {
    const part = {
      _tag: "Part",
      title: "Building index",
      part: 2,
      parts: 3,
      detail: "posts_by_tag, sorting 4%"
    } as const
    assert.strictEqual(line(part), "Building index 2 of 3: posts_by_tag, sorting 4%, 10 s so far")
  })
})

describe("pacedDisplay", () => {
  const pace = { first: Duration.seconds(5), interval: Duration.seconds(2) }

  it.effect("The work is shown after the first while and then at intervals, and not after its end", () =>
    Effect.gen(function* () {
      const shown: Array<readonly [number, number]> = []
      const display = pacedDisplay(pace, (progress, elapsed) =>
        Effect.sync(
          () => void shown.push([progress._tag === "Amount" ? progress.done : -1, Duration.toSeconds(elapsed)])
        )
      )
      const end = yield* Deferred.make<void>()
      const seen = yield* Deferred.make<(progress: Progress) => void>()
      const work = yield* withProgress((report) =>
        Effect.andThen(Deferred.succeed(seen, report), Deferred.await(end))
      ).pipe(Effect.provideService(ProgressDisplay, display), Effect.forkChild)
      const report = yield* Deferred.await(seen)
      // Nothing is shown of work that has not begun.
      yield* TestClock.adjust("6 seconds")
      report({ ...rows, done: 1 })
      yield* TestClock.adjust("1 second")
      report({ ...rows, done: 2 })
      report({ ...rows, done: 3 })
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(shown, [
        [1, 7],
        [3, 9]
      ])
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(work)
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(shown, 2)
    })
  )
})
