import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Console, Effect, Random, type Scope } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { availableParallelism, cpus, tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { uploadFiles } from "./files.ts"
import { createPosts } from "./load.ts"
import { storedTargets, waitUntilAllEnded } from "./storedTargets.ts"
import { findUntold } from "./untold.ts"
import { formatTable, judge, listFailures } from "./verdict.ts"
import { makeWorld, type World, type WorldOptions } from "./world.ts"

export interface CampaignOptions {
  readonly posts: number
  /** The number of threads, in campaigns that have threads. */
  readonly threads?: number
  readonly seed: string
  /** The factor by which the service's waits are shortened. */
  readonly pace: number
}

export type Log = (line: string) => Effect.Effect<void>

export interface CampaignPlan extends Pick<
  WorldOptions,
  "databaseUrl" | "replicas" | "env" | "crashing" | "platforms"
> {
  /** The probability of each of the stand-in's five faults. */
  readonly faultRate: number
  /** The highest number of posts that are created in a second. */
  readonly postsPerSecond: number
  /** Each post is due within this many milliseconds of its creation. */
  readonly dueWindow: number
  /** Injects faults until every target has reached a final status. */
  readonly injectFaults: (world: World, log: Log) => Effect.Effect<never>
  /** Rows about the injected faults for the table. */
  readonly extraRows: () => Readonly<Record<string, string | number>>
  /** One of this many posts has a twin: another post of the same account with the same text and due time. */
  readonly twinEvery?: number
  /** True for the content of a draft that the plan creates, which is never published. */
  readonly isDraft?: (content: string) => boolean
  /** One of this many posts has images or a video. */
  readonly mediaEvery?: number
  /** Failures that are not about posts. */
  readonly extraFailures?: () => ReadonlyArray<string>
}

const postsPerAccount = 10
const timeoutMillis = 20 * 60_000

/**
 * Creates posts while faults are injected, waits until every target has a final status, and compares what the service
 * and the stand-in have stored.
 */
export const runCampaign = Effect.fn("runCampaign")(function* (
  options: CampaignOptions,
  directory: string,
  plan: CampaignPlan,
  log: Log
) {
  const start = yield* Clock.currentTimeMillis
  const workspaces = Math.max(6, Math.ceil(options.posts / postsPerAccount))
  const world = yield* makeWorld({ ...plan, ...options, directory, workspaces })
  yield* log(`${plan.replicas} replicas are ready`)
  const filesOf =
    plan.mediaEvery === undefined
      ? undefined
      : yield* uploadFiles(Effect.orDie(Random.choice(world.replicas)), world.keys)
  const publishAll = Effect.gen(function* () {
    const { requested, wrongResponses } = yield* createPosts(world, {
      ...options,
      dueWindow: plan.dueWindow,
      ...(plan.twinEvery === undefined ? {} : { twinEvery: plan.twinEvery }),
      ...(plan.mediaEvery === undefined ? {} : { mediaEvery: plan.mediaEvery }),
      ...(filesOf === undefined ? {} : { filesOf }),
      pause: (4 * 1000) / plan.postsPerSecond
    })
    yield* log(`${options.posts} posts are created`)
    yield* waitUntilAllEnded(plan.databaseUrl, timeoutMillis, (ended, all) =>
      log(`${ended} of ${all} targets have ended`)
    )
    const stored = yield* storedTargets(plan.databaseUrl)
    const scheduled = stored.filter(({ content }) => plan.isDraft?.(content) !== true)
    const verdict = judge(requested, scheduled, yield* world.standIn.report)
    return { verdict, untold: yield* findUntold(plan.databaseUrl), wrongResponses }
  })
  // If faults can't be injected, the campaign fails, because it would prove nothing.
  const { untold, verdict, wrongResponses } = yield* Effect.raceFirst(publishAll, plan.injectFaults(world, log))
  const crashes = world.replicas.reduce((sum, replica) => sum + replica.crashes(), 0)
  const failures = [
    ...listFailures(verdict),
    ...untold,
    ...(crashes === 0 ? [] : [`${crashes} replicas exited by themselves`]),
    ...wrongResponses,
    ...(plan.extraFailures?.() ?? [])
  ]
  const seconds = Math.round(((yield* Clock.currentTimeMillis) - start) / 1000)
  return { verdict, failures, table: formatTable(verdict, { ...plan.extraRows(), seconds }) }
})

/** The result of a campaign: the text to print, and everything that happened but must not. */
export interface CampaignResult {
  readonly table: string
  readonly failures: ReadonlyArray<string>
}

/**
 * Runs a script with the options `--posts`, `--threads`, `--seed` and `--pace`, and prints its result. Keeps the logs if the script
 * fails.
 */
export const runScript = <E>(
  title: string,
  defaults: CampaignOptions,
  start: (directory: string, options: CampaignOptions, log: Log) => Effect.Effect<CampaignResult, E, Scope.Scope>
): void => {
  const { values } = parseArgs({
    options: {
      posts: { type: "string" },
      threads: { type: "string" },
      seed: { type: "string" },
      pace: { type: "string" }
    }
  })
  const options = {
    posts: Number(values.posts ?? defaults.posts),
    threads: Number(values.threads ?? defaults.threads ?? 0),
    seed: values.seed ?? defaults.seed,
    pace: Number(values.pace ?? defaults.pace)
  }
  const log: Log = (line) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Console.log(`${new Date(now).toISOString().slice(11, 19)}  ${line}`)
    )

  const run = Effect.gen(function* () {
    const directory = yield* Effect.promise(() => mkdtemp(path.join(tmpdir(), "chaos-")))
    const { pace, posts, seed, threads } = options
    const load = `${posts} posts${threads === 0 ? "" : `, ${threads} threads`}`
    yield* log(`${title}: ${load}, seed ${seed}, waits ${pace} times shorter, in ${directory}`)
    const { failures, table } = yield* Effect.scoped(start(directory, options, log))
    yield* Console.log(`\n${title}, ${cpus()[0]?.model ?? "?"}, ${availableParallelism()} cores\n`)
    yield* Console.log(table)
    if (failures.length === 0) return yield* Effect.promise(() => rm(directory, { recursive: true, force: true }))
    yield* Console.log(`\n${failures.join("\n")}\n\nLogs are in ${directory}`)
    yield* Effect.sync(() => {
      process.exitCode = 1
    })
  })
  NodeRuntime.runMain(Random.withSeed(run, options.seed))
}

/** Runs a campaign as a script with the options `--posts`, `--seed` and `--pace`, and prints the verdict as a table. */
export const runCampaignScript = <E>(
  title: string,
  defaults: CampaignOptions,
  makePlan: (directory: string, options: CampaignOptions) => Effect.Effect<CampaignPlan, E, Scope.Scope>
): void =>
  runScript(title, defaults, (directory, options, log) =>
    Effect.flatMap(makePlan(directory, options), (plan) => runCampaign(options, directory, plan, log))
  )
