import { Effect } from "effect"
import { performance } from "node:perf_hooks"
import { simulate } from "../simulation/simulation.ts"

/**
 * Simulates seeds: `node test/chaos/simulate.ts [HOW_MANY] [FROM]`. TRACE=1 prints what happens in each. It runs on one
 * core; for more, start it again with other seeds.
 */
const howMany = Number(process.argv[2] ?? 1000)
const from = Number(process.argv[3] ?? 1)

const start = performance.now()
const totals = new Map<string, number>()
let broken = 0
let simulated = 0
for (let seed = from; seed < from + howMany; seed++) {
  const { counts, simulatedMillis, trace, violations } = await Effect.runPromise(simulate(seed))
  simulated += simulatedMillis
  for (const [what, count] of counts) totals.set(what, (totals.get(what) ?? 0) + count)
  if (process.env["TRACE"] === "1") console.log(trace.join("\n"))
  if (violations.length === 0) continue
  broken += 1
  console.log(`Seed ${seed}: ${violations[0]}`)
}

const seconds = (performance.now() - start) / 1000
for (const [what, count] of [...totals].toSorted(([left], [right]) => left.localeCompare(right))) {
  console.log(`${what}: ${count}`)
}
console.log(
  `${howMany} seeds, ${(simulated / 86_400_000).toFixed(0)} days, in ${seconds.toFixed(1)} s: ${broken} broke a promise`
)
process.exitCode = broken === 0 ? 0 : 1
