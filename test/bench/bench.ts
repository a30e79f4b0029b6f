import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, References, type Scope } from "effect"
import path from "node:path"
import { parseArgs } from "node:util"
import { dashboard } from "./parts/dashboard.ts"
import { lateness } from "./parts/lateness.ts"
import { mail } from "./parts/mail.ts"
import { media } from "./parts/media.ts"
import { memory } from "./parts/memory.ts"
import { now } from "./parts/now.ts"
import { outlook } from "./parts/outlook.ts"
import { processes } from "./parts/processes.ts"
import { publishing } from "./parts/publishing.ts"
import { requests } from "./parts/requests.ts"
import { size } from "./parts/size.ts"
import { versions } from "./parts/versions.ts"
import { webhooks } from "./parts/webhooks.ts"
import type { BenchOptions, Section } from "./support/options.ts"
import { describeRun, formatTable } from "./support/report.ts"
import { installPackages } from "../support/process/installPackages.ts"

/** A part of the benchmarks, with its own database. */
type Part = (options: BenchOptions) => Effect.Effect<ReadonlyArray<Section>, unknown, Scope.Scope>

const parts: Readonly<Record<string, Part>> = {
  requests,
  publishing,
  now,
  lateness,
  processes,
  webhooks,
  memory,
  mail,
  media,
  dashboard,
  outlook,
  size,
  versions
}

/** `all` skips these parts: inserting millions of posts takes minutes, and another version has to be named. */
const partsByNameOnly = new Set(["size", "versions"])

const usage = `npm run bench -- PART…

  PART          ${Object.keys(parts).join(", ")}, or all, which is every part but ${[...partsByNameOnly].join(" and ")}
  --rounds N    how often each contender is measured (5)
  --seconds S   how long each load lasts (5)
  --posts N     posts in the larger database of size (5,000,000)
  --against DIR another version's directory, with its packages, for versions
  --quick       a first look, with less data: 2 rounds of 2 seconds`

/** The parsed arguments, or the error message. */
const parseArguments = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: "string" },
        seconds: { type: "string" },
        posts: { type: "string" },
        against: { type: "string" },
        quick: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false }
      }
    })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const bench = Effect.gen(function* () {
  const parsed = parseArguments()
  const refuse = (reason: string) =>
    Effect.andThen(
      Console.error(`${reason}\n\n${usage}`),
      Effect.sync(() => {
        process.exitCode = 1
      })
    )
  if (typeof parsed === "string") return yield* refuse(parsed)
  const { positionals, values } = parsed
  if (values.help) return yield* Console.log(usage)
  const unknown = positionals.filter((name) => name !== "all" && !(name in parts))
  if (unknown.length > 0) return yield* refuse(`There is no part ${unknown.join(", ")}`)
  if (positionals.length === 0) return yield* refuse("Name a part")
  if (positionals.includes("versions") && values.against === undefined) return yield* refuse("versions needs --against")
  const options: BenchOptions = {
    rounds: Number(values.rounds ?? (values.quick ? 2 : 5)),
    seconds: Number(values.seconds ?? (values.quick ? 2 : 5)),
    posts: Number(values.posts ?? (values.quick ? 500_000 : 5_000_000)),
    quick: values.quick,
    against: values.against === undefined ? undefined : path.resolve(values.against)
  }
  if (!(options.rounds > 0 && options.seconds > 0 && options.posts > 0)) {
    return yield* refuse("--rounds, --seconds and --posts take numbers above 0")
  }
  const isChosen = (name: string) =>
    positionals.includes(name) || (positionals.includes("all") && !partsByNameOnly.has(name))
  const chosen = Object.entries(parts).filter(([name]) => isChosen(name))
  yield* Effect.promise(() => installPackages("test/bench/peers"))
  yield* Console.log(describeRun())
  for (const [, part] of chosen) {
    const sections = yield* Effect.scoped(part(options))
    for (const { notes, rows, title } of sections) {
      yield* Console.log(`\n### ${title}\n\n${notes}\n\n${formatTable(rows)}`)
    }
  }
})

NodeRuntime.runMain(Effect.provideService(bench, References.MinimumLogLevel, "Warn"))
