import { Clock, Effect, type Redacted, Schedule } from "effect"
import type { CampaignOptions, CampaignResult, Log } from "./campaign.ts"
import { waitUntilAllEnded } from "./storedTargets.ts"
import { storedThreads } from "./storedThreads.ts"
import { accountKey, wrongThreads } from "./threadChains.ts"
import { createThreads } from "./threadLoad.ts"
import { isDuplicateOnX, resolveAsPerson, type Resolved } from "./threadPerson.ts"
import { judgeThreads } from "./threadVerdict.ts"
import { findUntold } from "./untold.ts"
import { makeWorld, type World, type WorldOptions } from "./world.ts"

export interface ThreadPlan extends Pick<WorldOptions, "platforms"> {
  readonly databaseUrl: Redacted.Redacted
  readonly replicas: number
  /** The probability of each of the stand-in's five faults. */
  readonly faultRate: number
  readonly env?: (name: string) => Readonly<Record<string, string>>
  readonly injectFaults: (world: World) => Effect.Effect<never>
  readonly extraRows: () => Readonly<Record<string, string | number>>
}

const threadsPerAccount = 8
const postsPerAccount = 10
const timeoutMillis = 20 * 60_000

/** The service asks for an address a minute after it has published a post without one. */
const longestWithoutAddress = "90 seconds"

/** If a thread still fails after a person resolved it this many times, it counts as never ending. */
const maxRounds = 30

/**
 * Creates threads and single posts while faults are injected, and checks the timelines in the meantime. Resolves failed threads as a
 * person would. Once every target has a final status, compares what the service and the stand-in have stored.
 */
export const runThreads = Effect.fn("runThreads")(function* (
  options: CampaignOptions,
  directory: string,
  plan: ThreadPlan,
  log: Log
) {
  const start = yield* Clock.currentTimeMillis
  const { posts: singles, threads = 0 } = options
  const workspaces = Math.max(4, Math.ceil(threads / threadsPerAccount), Math.ceil(singles / postsPerAccount))
  const world = yield* makeWorld({ ...plan, ...options, directory, workspaces, unseenRate: 0.1 })
  const { standIn } = world
  const workspaceOf = new Map(
    standIn.accounts.flatMap((accounts, workspace) =>
      accounts.map((account) => [accountKey(account), workspace] as const)
    )
  )
  yield* log(`${plan.replicas} replicas are ready`)
  const load = yield* createThreads(world, {
    seed: options.seed,
    threads,
    posts: singles,
    dueWindow: 20_000,
    pause: 500
  })

  const wrong = new Set<string>()
  let looks = 0
  const look = Effect.gen(function* () {
    const report = yield* standIn.report
    const known = wrongThreads(report.posts, load.requested, workspaceOf)
    for (const each of known) if (!wrong.has(each)) yield* log(each)
    for (const each of known) wrong.add(each)
    looks += 1
    return report
  })

  const resolved: Resolved = { counts: new Map(), out: [], refused: [] }
  /** Failed threads that a person can continue: all except those that X refuses as a duplicate for good. */
  const leftToPerson = Effect.gen(function* () {
    const { posts } = yield* standIn.report
    const stored = yield* storedThreads(plan.databaseUrl)
    const owned = new Set(stored.flatMap(({ out }) => out))
    const failed = stored.flatMap((target) => {
      const request = load.requested.find(({ id }) => id === target.postId)
      if (target.status !== "failed" || request === undefined) return []
      const text = request.chains[target.platform][target.part - 1]?.text ?? ""
      return isDuplicateOnX(target, text, posts, owned) ? [] : [{ request, target }]
    })
    return { failed, owned, posts }
  })

  const publishAll = Effect.gen(function* () {
    yield* load.createAll
    yield* log(`${load.requested.length} threads and posts are created`)
    for (let round = 1; round <= maxRounds; round++) {
      yield* waitUntilAllEnded(plan.databaseUrl, timeoutMillis, (ended, all) =>
        log(`${ended} of ${all} targets have ended`)
      )
      const { failed, owned, posts } = yield* leftToPerson
      if (failed.length === 0) break
      yield* log(`${failed.length} targets are left to a person`)
      for (const each of yield* findUntold(plan.databaseUrl)) wrong.add(each)
      yield* Effect.forEach(
        failed,
        ({ request, target }) => resolveAsPerson(world, request, target, { owned, posts, resolved }),
        { discard: true }
      )
    }
    const read = storedThreads(plan.databaseUrl)
    yield* read.pipe(
      Effect.repeat({
        until: (all) => all.every(({ out }) => !out.includes("")),
        schedule: Schedule.spaced("5 seconds")
      }),
      Effect.timeoutOption(longestWithoutAddress)
    )
    const report = yield* look
    return judgeThreads(load.requested, yield* read, report)
  })
  const watching = Effect.andThen(Effect.repeat(look, Schedule.spaced("400 millis")), Effect.never)
  const verdict = yield* Effect.raceFirst(publishAll, Effect.raceFirst(plan.injectFaults(world), watching))
  const crashes = world.replicas.reduce((sum, replica) => sum + replica.crashes(), 0)
  const failures = [
    ...wrong,
    ...verdict.failures,
    ...resolved.refused,
    ...(crashes === 0 ? [] : [`${crashes} replicas exited by themselves`]),
    ...load.wrongResponses
  ]
  const count = (kind: string) => failures.filter((failure) => failure.startsWith(kind)).length
  const decisions = [...resolved.counts].toSorted(([left], [right]) => left.localeCompare(right))
  const rows = {
    "threads and posts": `${load.requested.length} (${verdict.targets} targets)`,
    "parts on timelines": verdict.parts,
    published: verdict.published,
    "refused as duplicates": verdict.duplicates,
    "parts with files": verdict.withFiles,
    lost: count("lost"),
    doubled: count("doubled"),
    "out of order": count("out of order"),
    early: count("early"),
    "with other files": count("with other files"),
    untold: count("untold"),
    "without an address": verdict.withoutAddress,
    ...Object.fromEntries([...verdict.byPlatform].map(([platform, parts]) => [`on ${platform}`, parts])),
    ...Object.fromEntries(decisions),
    looks,
    ...plan.extraRows(),
    seconds: Math.round(((yield* Clock.currentTimeMillis) - start) / 1000)
  }
  for (const each of resolved.out) yield* log(`unknown though it is out: ${each}`)
  const width = Math.max(...Object.keys(rows).map((row) => row.length))
  const table = Object.entries(rows).map(([row, value]) => `${row.padEnd(width)}  ${value}`)
  return { table: table.join("\n"), failures } satisfies CampaignResult
})
