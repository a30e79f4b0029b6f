import { Clock, Effect, Random, Redacted } from "effect"
import { defaultScopes } from "../../src/domain/plain/access.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { type CampaignOptions, type Log, runScript } from "./support/campaign.ts"
import { fileTypesOf, uploadFiles } from "./support/files.ts"
import { liveThrough } from "./support/clients.ts"
import { restartableDatabase } from "./support/database.ts"
import type { TrackedPost } from "./support/intents.ts"
import { killRepeatedly } from "./support/kills.ts"
import { makeResponses, type VersionedReplica } from "./support/responses.ts"
import { storedTargets, waitUntilAllEnded } from "./support/storedTargets.ts"
import { judgeUpgrade } from "./support/upgradeVerdict.ts"
import { formatTable, listFailures } from "./support/verdict.ts"
import { checkOutVersionBefore, versionBefore } from "./support/versionBefore.ts"
import { probeVersions } from "./support/versionProbes.ts"
import { makeTeams, repoLayer } from "./support/world.ts"

const faultRate = 0.05

/** One of this many posts has media, if it is created while the current version runs. */
const mediaEvery = 3

/** The number of clients that send requests concurrently. */
const clients = 12

/**
 * The phases of a deployment that is rolled back once, with the versions that run. The database is migrated before the
 * first phase.
 */
const phases: ReadonlyArray<{ readonly name: string; readonly versions: ReadonlyArray<string> }> = [
  { name: "the version before alone, on the migrated database", versions: ["before"] },
  { name: "both versions", versions: ["before", "current"] },
  { name: "the version before alone, after a downgrade", versions: ["before"] },
  { name: "both versions again", versions: ["before", "current"] },
  { name: "the current version alone", versions: ["current"] }
]

const campaign = Effect.fn("upgrade")(function* (directory: string, options: CampaignOptions, log: Log) {
  const start = yield* Clock.currentTimeMillis
  const { url } = yield* restartableDatabase({ dataDir: directory })
  const program = yield* checkOutVersionBefore(directory)
  const workspaces = Math.max(6, Math.ceil(options.posts / 10))
  const teams = yield* makeTeams({ ...options, databaseUrl: url, directory, workspaces, faultRate })
  const makeReplicas = (version: string, main?: string) =>
    Effect.forEach([1, 2], (number) =>
      Effect.map(teams.addReplica(`${version} ${number}`, main), (replica): VersionedReplica => ({
        ...replica,
        version
      }))
    )
  const all = [...(yield* makeReplicas("before", program)), ...(yield* makeReplicas("current"))]
  let running: ReadonlyArray<VersionedReplica> = []
  let kills = 0
  const onKill = () => void kills++
  const responses = makeResponses(() => running)
  const posts: Array<TrackedPost> = []
  const exits: Array<string> = []

  /** Starts and stops replicas, as a deployment does, until only the given versions run. */
  const deploy = Effect.fnUntraced(function* (versions: ReadonlyArray<string>) {
    const wanted = all.filter(({ version }) => versions.includes(version))
    const added = wanted.filter((replica) => !running.includes(replica))
    const removed = running.filter((replica) => !wanted.includes(replica))
    yield* Effect.forEach(added, (replica) => Effect.andThen(replica.start, replica.ready), {
      concurrency: "unbounded"
    })
    running = wanted
    for (const replica of removed) {
      const code = yield* replica.end("SIGTERM")
      if (code !== 0) exits.push(`${replica.name} exited with ${code} after SIGTERM`)
    }
  })

  const [workspaceId = yield* Effect.die("There is no workspace")] = teams.workspaceIds
  const probeTeam = yield* Effect.gen(function* () {
    const { apiKeys, users } = yield* Repo
    const agent = { name: "Agent", scopes: defaultScopes, requiresApproval: true, expiresIn: null }
    const { key } = yield* apiKeys.create({ ...agent, workspaceId })
    const [email, password] = ["probe@example.com", Redacted.make("a long and secret sentence")] as const
    yield* users.create(workspaceId, email, password)
    return { key: teams.keys[0] ?? "", agentKey: Redacted.value(key), email, password }
  }).pipe(Effect.provide(repoLayer(url)))
  let library: Effect.Success<ReturnType<typeof uploadFiles>> | undefined
  let probes: ReadonlyArray<string> = []

  const share = Math.ceil(options.posts / phases.length)
  for (const [index, { name, versions }] of phases.entries()) {
    yield* deploy(versions)
    yield* log(name)
    if (versions.length === 2 && probes.length === 0) {
      probes = yield* probeVersions(
        all.filter(({ name: replica }) => replica.endsWith(" 1")),
        probeTeam
      )
    }
    const numbers = Array.from({ length: share }, (_, offset) => 1 + index * share + offset)
    const current = running.filter(({ version }) => version === "current")
    if (current.length > 0) library ??= yield* uploadFiles(Effect.orDie(Random.choice(current)), teams.keys)
    const filesOf = library
    const load = Effect.forEach(
      numbers,
      (number) =>
        Effect.gen(function* () {
          const key = teams.keys[number % teams.keys.length] ?? ""
          const types = current.length === 0 ? [] : fileTypesOf(number, mediaEvery)
          const media = filesOf?.(key, types) ?? []
          yield* liveThrough(responses, posts, { key, media, name: `seed ${options.seed}`, number })
        }),
      { concurrency: clients, discard: true }
    )
    yield* Effect.raceFirst(load, killRepeatedly(running, onKill))
    yield* Effect.forEach(running, ({ ready }) => ready, { discard: true })
  }
  yield* waitUntilAllEnded(url, 10 * 60_000, (ended, count) => log(`${ended} of ${count} targets have ended`))

  const stored = (yield* storedTargets(url)).filter(({ content }) => content.startsWith("Post "))
  const { failures, verdict } = judgeUpgrade(posts, stored, yield* teams.standIn.report)
  const crashes = all.filter((replica) => replica.crashes() > 0).map(({ name }) => `${name} exited by itself`)
  const seconds = Math.round(((yield* Clock.currentTimeMillis) - start) / 1000)
  return {
    table: `${formatTable(verdict, { kills, seconds })}\n\n${responses.table()}\n\n${probes.join("\n")}`,
    failures: [...listFailures(verdict), ...failures, ...responses.wrong(), ...exits, ...crashes]
  }
})

/**
 * Fault injection: the previous and the current version run on one migrated database while processes of both get
 * SIGKILL, through an upgrade, a downgrade and another upgrade. Prints how each version responds to each request.
 */
runScript(`upgrade from ${versionBefore}`, { posts: 400, seed: "1", pace: 10 }, campaign)
