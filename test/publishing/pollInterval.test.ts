import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { scheduledFiber } from "../../src/publishing/scheduledFiber.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { scriptedPlatform } from "./scriptedPlatform.ts"

/** The milliseconds at which the scheduled fiber ticks within 25 seconds in which nobody calls it. */
const ticksWith = (nextDue: Option.Option<DateTime.Utc>) =>
  Effect.gen(function* () {
    const ticks: Array<number> = []
    const claim = () => Effect.map(Clock.currentTimeMillis, (now) => ticks.push(now)).pipe(Effect.as([]))
    const world = Layer.mergeAll(
      fakeRepo({ targets: { claim, nextDue: Effect.succeed(nextDue), listen: () => Effect.never } }),
      scriptedPlatform,
      Layer.mock(Notifier, {})
    )
    yield* TestClock.adjust("25 seconds").pipe(
      Effect.provide(scheduledFiber.pipe(Layer.provide(Publisher.layer), Layer.provide(world)))
    )
    return ticks
  })

describe("The scheduled fiber, called by nobody,", () => {
  it.effect("ticks every ten seconds", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ticksWith(Option.none()), [0, 10_000, 20_000])
    })
  )

  it.effect("ticks at a due time between two beats as well", () =>
    Effect.gen(function* () {
      const ticks = yield* ticksWith(Option.some(DateTime.makeUnsafe(13_000)))
      assert.deepStrictEqual(ticks.slice(0, 3), [0, 10_000, 13_000])
    })
  )
})
