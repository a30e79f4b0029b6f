import { assert, it } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { type Outcome, simulate } from "./simulation.ts"

const seedsPerTest = 20
const seedsPerFile = 20
/**
 * In seed 78, X refuses a duplicate of this target's own earlier post, so a rejection would be wrong. In seed 2184, a
 * process with a fast clock has prepared the post, and a later request to publish it must find the first send's copy.
 */
const rareSeeds = [78, 2184]
const linesBefore = 60
const linesAfter = 10

/** The first violation of a seed, the command that replays it, and its trace. */
const explain = ({ seed, trace, violations }: Outcome): string => {
  const first = trace.findIndex((line) => line.includes("VIOLATION"))
  return [
    `Seed ${seed}: ${violations[0]}`,
    `Replay: TRACE=1 npx node test/chaos/simulate.ts 1 ${seed}`,
    ...trace.slice(Math.max(0, first - linesBefore), first + linesAfter)
  ].join("\n")
}

/** Fails with the trace. */
const assertInvariants = (seed: number) =>
  Effect.map(simulate(seed), (outcome) => {
    if (outcome.violations.length > 0) assert.fail(explain(outcome))
  })

/**
 * 20 seeds (every second seed from `from`), and the rare seeds. Two files share the seeds, so that they run in
 * parallel.
 */
export const testSeeds = (from: number): void => {
  const all = [
    ...Array.from({ length: seedsPerFile }, (_, index) => from + 2 * index),
    ...(from === 2 ? rareSeeds : [])
  ]
  for (const seeds of Arr.chunksOf(all, seedsPerTest)) {
    it.live(`Every invariant holds in the ${seeds.length} seeds from ${seeds[0]} to ${seeds.at(-1)}`, () =>
      Effect.forEach(seeds, assertInvariants, { discard: true })
    )
  }
}
