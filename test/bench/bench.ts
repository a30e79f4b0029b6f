import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, References, type Scope } from "effect"
import { parseArgs } from "node:util"
import { lateness } from "./parts/lateness.ts"
import { memory } from "./parts/memory.ts"
import { now } from "./parts/now.ts"
import { processes } from "./parts/processes.ts"
import { publishing } from "./parts/publishing.ts"
import { requests } from "./parts/requests.ts"
import { size } from "./parts/size.ts"
import type { BenchOptions, Section } from "./support/options.ts"
import { describeRun, formatTable } from "./support/report.ts"

/** Measures something, on a database of its own. */
type Part = (options: BenchOptions) => Effect.Effect<ReadonlyArray<Section>, unknown, Scope.Scope>

const parts: Readonly<Record<string, Part>> = { requests, publishing, now, lateness, processes, memory, size }

/** Inserting millions of posts takes minutes, so `all` leaves this out. */
const partsByNameOnly = new Set(["size"])

const usage = `npm run bench -- ${Object.keys(parts).join("|")}|all [--rounds N] [--seconds S] [--posts N] [--quick]`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string" },
    seconds: { type: "string" },
    posts: { type: "string" },
    quick: { type: "boolean", default: false }
  }
})

const options: BenchOptions = {
  rounds: Number(values.rounds ?? (values.quick ? 2 : 5)),
  seconds: Number(values.seconds ?? (values.quick ? 2 : 5)),
  posts: Number(values.posts ?? (values.quick ? 500_000 : 5_000_000)),
  quick: values.quick
}

const bench = Effect.gen(function* () {
  const isChosen = (name: string) =>
    positionals.includes(name) || (positionals.includes("all") && !partsByNameOnly.has(name))
  const chosen = Object.entries(parts).filter(([name]) => isChosen(name))
  if (chosen.length === 0) {
    yield* Console.error(usage)
    process.exitCode = 1
    return
  }
  yield* Console.log(describeRun())
  for (const [, part] of chosen) {
    const sections = yield* Effect.scoped(part(options))
    for (const { notes, rows, title } of sections) {
      yield* Console.log(`\n### ${title}\n\n${notes}\n\n${formatTable(rows)}`)
    }
  }
})

NodeRuntime.runMain(Effect.provideService(bench, References.MinimumLogLevel, "Warn"))
