import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { faultKinds } from "./faults.ts"
import { simulate } from "./simulation.ts"

const seeds = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index)

describe("The simulation", () => {
  it.live("a seed replays to the same trace", () =>
    Effect.forEach(seeds(1, 5), (seed) =>
      Effect.gen(function* () {
        const first = yield* simulate(seed)
        const second = yield* simulate(seed)
        assert.deepStrictEqual(second.trace, first.trace)
        assert.isAbove(first.trace.length, 10)
      })
    )
  )

  it.live("two seeds take different courses", () =>
    Effect.gen(function* () {
      assert.notDeepEqual((yield* simulate(1)).trace, (yield* simulate(2)).trace)
    })
  )

  it.live("every kind of fault, and every end, happens within some seeds", () =>
    Effect.gen(function* () {
      const outcomes = yield* Effect.forEach(seeds(1000, 40), (seed) => simulate(seed))
      const happened = new Set(outcomes.flatMap(({ counts }) => [...counts.keys()]))
      const expected = [
        ...faultKinds,
        "process started",
        "process killed",
        "process stopped",
        "process frozen",
        "process cut off from the database",
        "database away",
        "account revoked",
        "account closed",
        "service down for a day",
        "poison post",
        "post ended as published",
        "post ended as failed",
        "target failed: gave_up",
        "target failed: rejected",
        "target failed: outcome_unknown",
        "target failed: needs_reconnect",
        "target failed: missed"
      ]
      assert.deepStrictEqual(
        expected.filter((what) => !happened.has(what)),
        []
      )
    })
  )

  it.live("where nothing goes wrong, every post is out within a minute of its time", () =>
    Effect.gen(function* () {
      for (const seed of seeds(1, 20)) {
        assert.deepStrictEqual((yield* simulate(seed, { calm: true })).violations, [], `seed ${seed}`)
      }
    })
  )
})
