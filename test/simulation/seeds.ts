import { assert, it } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { type Outcome, simulate } from "./simulation.ts"

const seedsAtOnce = 25
const linesBefore = 60
const linesAfter = 10

/** What went wrong, how to see it again, and what happened around it. */
const explain = ({ seed, trace, violations }: Outcome): string => {
  const first = trace.findIndex((line) => line.includes("VIOLATION"))
  return [
    `Seed ${seed}: ${violations[0]}`,
    `Again: TRACE=1 npx node test/chaos/simulate.ts 1 ${seed}`,
    ...trace.slice(Math.max(0, first - linesBefore), first + linesAfter)
  ].join("\n")
}

/** Fails with the trace of a seed that breaks a promise. */
const keepsEveryPromise = (seed: number) =>
  Effect.map(simulate(seed), (outcome) => {
    if (outcome.violations.length > 0) assert.fail(explain(outcome))
  })

/** Tests of 250 seeds, every second one from `from` on. */
export const testSeeds = (from: number): void => {
  const all = Array.from({ length: 250 }, (_, index) => from + 2 * index)
  for (const seeds of Arr.chunksOf(all, seedsAtOnce)) {
    it.live(
      `${seeds.length} seeds from ${seeds[0]} to ${seeds.at(-1)} keep every promise`,
      () => Effect.forEach(seeds, keepsEveryPromise, { discard: true }),
      60_000
    )
  }
}
