import { Effect } from "effect"
import { performance } from "node:perf_hooks"
import { simulate } from "../simulation/simulation.ts"

/**
 * Runs the deterministic simulation on a range of seeds: `node test/chaos/simulate.ts [COUNT] [FIRST_SEED] [STEP]`.
 * TRACE=1 prints the trace of each seed. A run uses one core; to use more cores, start several runs with different
 * seeds.
 */
const seedCount = Number(process.argv[2] ?? 1000)
const firstSeed = Number(process.argv[3] ?? 1)
const step = Number(process.argv[4] ?? 1)

const start = performance.now()
const totals = new Map<string, number>()
let violating = 0
let simulated = 0
for (let seed = firstSeed; seed < firstSeed + seedCount * step; seed += step) {
  const { counts, simulatedMillis, trace, violations } = await Effect.runPromise(simulate(seed))
  simulated += simulatedMillis
  for (const [what, count] of counts) totals.set(what, (totals.get(what) ?? 0) + count)
  if (process.env["TRACE"] === "1") console.log(trace.join("\n"))
  if (violations.length === 0) continue
  violating += 1
  console.log(`Seed ${seed}: ${violations[0]}`)
}

const seconds = (performance.now() - start) / 1000
for (const [what, count] of [...totals].toSorted(([left], [right]) => left.localeCompare(right))) {
  console.log(`${what}: ${count}`)
}
console.log(
  `${seedCount} seeds, ${(simulated / 86_400_000).toFixed(0)} days, in ${seconds.toFixed(1)} s: ${violating} violated an invariant`
)
process.exitCode = violating === 0 ? 0 : 1
