import { NodeRuntime } from "@effect/platform-node"
import { Clock, Console, Effect, Random, type Scope } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { availableParallelism, cpus, tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { createPosts } from "./load.ts"
import { storedTargets, untilAllEnded } from "./storedTargets.ts"
import { faultsOf, judge, tableOf } from "./verdict.ts"
import { makeWorld, type World, type WorldOptions } from "./world.ts"

export interface Size {
  readonly posts: number
  readonly seed: string
  readonly pace: number
}

export interface Plan extends Pick<WorldOptions, "databaseUrl" | "replicas" | "env"> {
  /** How probable each of the stand-in's five faults is. */
  readonly faultRate: number
  /** How many posts are asked for in a second, at most. */
  readonly postsPerSecond: number
  /** Their times are spread over so many milliseconds from then on. */
  readonly window: number
  /** What is done to the service until all posts have ended. */
  readonly trouble: (world: World, say: (line: string) => Effect.Effect<void>) => Effect.Effect<never>
  /** What the trouble came to, for the table. */
  readonly beside: () => Readonly<Record<string, string | number>>
  /** What went wrong beside the posts. */
  readonly faults?: () => ReadonlyArray<string>
}

const postsPerAccount = 10
const longest = 20 * 60_000

/** Creates posts while there is trouble, waits until all have ended, and compares what each side says. */
export const carryOut = Effect.fn("carryOut")(function* (
  size: Size,
  directory: string,
  plan: Plan,
  say: (line: string) => Effect.Effect<void>
) {
  const began = yield* Clock.currentTimeMillis
  const workspaces = Math.max(6, Math.ceil(size.posts / postsPerAccount))
  const world = yield* makeWorld({ ...plan, ...size, directory, workspaces })
  yield* say(`${plan.replicas} replicas are ready`)
  yield* Effect.forkScoped(plan.trouble(world, say))
  const { asked, wrong } = yield* createPosts(world, {
    ...size,
    window: plan.window,
    pause: (4 * 1000) / plan.postsPerSecond
  })
  yield* say(`${size.posts} posts are created`)
  yield* untilAllEnded(plan.databaseUrl, longest, (ended, all) => say(`${ended} of ${all} targets have ended`))
  const verdict = judge(asked, yield* storedTargets(plan.databaseUrl), yield* world.standIn.report)
  const crashes = world.replicas.reduce((sum, replica) => sum + replica.crashes(), 0)
  const faults = [
    ...faultsOf(verdict),
    ...(crashes === 0 ? [] : [`${crashes} replicas ended by themselves`]),
    ...wrong,
    ...(plan.faults?.() ?? [])
  ]
  const took = ((yield* Clock.currentTimeMillis) - began) / 1000
  return { verdict, faults, table: tableOf(verdict, { ...plan.beside(), seconds: Math.round(took) }) }
})

/** Runs a campaign as a script: `--posts`, `--seed` and `--pace` on the command line, a table at the end. */
export const campaign = <E>(
  title: string,
  defaults: Size,
  makePlan: (directory: string, size: Size) => Effect.Effect<Plan, E, Scope.Scope>
): void => {
  const { values } = parseArgs({
    options: { posts: { type: "string" }, seed: { type: "string" }, pace: { type: "string" } }
  })
  const size = {
    posts: Number(values.posts ?? defaults.posts),
    seed: values.seed ?? defaults.seed,
    pace: Number(values.pace ?? defaults.pace)
  }
  const say = (line: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Console.log(`${new Date(now).toISOString().slice(11, 19)}  ${line}`)
    )

  const run = Effect.gen(function* () {
    const directory = yield* Effect.promise(() => mkdtemp(path.join(tmpdir(), "chaos-")))
    yield* say(`${title}: ${size.posts} posts, seed ${size.seed}, waits ${size.pace} times shorter, in ${directory}`)
    const { faults, table } = yield* Effect.scoped(
      Effect.flatMap(makePlan(directory, size), (plan) => carryOut(size, directory, plan, say))
    )
    yield* Console.log(`\n${title}, ${cpus()[0]?.model ?? "?"}, ${availableParallelism()} cores\n`)
    yield* Console.log(table)
    if (faults.length === 0) return yield* Effect.promise(() => rm(directory, { recursive: true, force: true }))
    yield* Console.log(`\n${faults.join("\n")}\n\nLogs are in ${directory}`)
    yield* Effect.sync(() => {
      process.exitCode = 1
    })
  })
  NodeRuntime.runMain(Random.withSeed(run, size.seed))
}
