import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Console, DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtemp, rm } from "node:fs/promises"
import { availableParallelism, cpus, tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { databaseLayer } from "../../src/repo/postgres/database.ts"
import { call } from "./support/calls.ts"
import { restartableDatabase } from "./support/database.ts"
import type { Replica } from "./support/replica.ts"
import { makeWorld } from "./support/world.ts"

const { values } = parseArgs({
  options: {
    posts: { type: "string", default: "600" },
    replicas: { type: "string", default: "2" },
    /** The response time of X's token endpoint, in milliseconds. */
    latency: { type: "string", default: "400" },
    /**
     * The posts are scheduled this many seconds before they are due. In the meantime a renewal pass renews the
     * accounts' access.
     */
    ahead: { type: "string", default: "15" },
    /** Kills one replica this many milliseconds after the posts are due. */
    kill: { type: "string" },
    /** All posts must be published within this many seconds after they are due. */
    within: { type: "string", default: "2" }
  }
})
const posts = Number(values.posts)
const ahead = Number(values.ahead) * 1000
const within = Number(values.within) * 1000

/** Makes the accounts look connected long ago, so that their access has ended. */
const connectedLongAgo = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE integrations SET updated_at = updated_at - interval '1 day'`
})

/** Creating the posts takes long on a busy machine, so one statement sets the due time of all posts afterwards. */
const makeAllDue = Effect.fnUntraced(function* (due: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE post_targets SET due_at = ${due}::timestamptz, due_since = ${due}::timestamptz`
  yield* sql`UPDATE posts SET scheduled_at = ${due}::timestamptz`
})

const percentile = (sorted: ReadonlyArray<number>, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

const killAt = Effect.fnUntraced(function* (replica: Replica, at: number) {
  yield* Effect.sleep(Math.max(0, at - (yield* Clock.currentTimeMillis)))
  yield* replica.end("SIGKILL")
  yield* Console.log(`${replica.name} is killed`)
  yield* replica.start
})

const campaign = Effect.fnUntraced(function* (directory: string) {
  const { url: databaseUrl } = yield* restartableDatabase({ dataDir: directory })
  const world = yield* makeWorld({
    databaseUrl,
    directory,
    seed: "1",
    workspaces: posts,
    faultRate: 0,
    pace: 1,
    replicas: Number(values.replicas),
    renewalDelay: Number(values.latency),
    accessEnded: true
  })
  yield* Effect.provide(connectedLongAgo, databaseLayer(databaseUrl))
  const schedule_at = DateTime.formatIso(DateTime.makeUnsafe((yield* Clock.currentTimeMillis) + 7_200_000))
  yield* Effect.forEach(
    world.keys,
    (key, number) =>
      Effect.gen(function* () {
        const replica = world.replicas[number % world.replicas.length]
        const body = { content: `Post ${number}`, platforms: ["twitter"], schedule_at }
        const headers = { "idempotency-key": body.content }
        const create = call(`${replica?.url}/v1/posts`, { method: "POST", key, headers, body })
        // On a busy machine the database might be too slow.
        const { status, text } = yield* Effect.repeat(create, { until: (response) => response.status !== 503 })
        if (status !== 201) return yield* Effect.die(`A post got ${status}: ${text}`)
      }),
    { concurrency: 8, discard: true }
  )
  const due = (yield* Clock.currentTimeMillis) + ahead
  yield* Effect.provide(makeAllDue(DateTime.formatIso(DateTime.makeUnsafe(due))), databaseLayer(databaseUrl))
  const left = due - (yield* Clock.currentTimeMillis)
  yield* Console.log(`${posts} posts got their time, ${(left / 1000).toFixed(1)} s before it`)
  const victim = world.replicas.at(-1)
  if (values.kill !== undefined && victim !== undefined) {
    yield* Effect.forkScoped(killAt(victim, due + Number(values.kill)))
  }
  const end = due + 180_000
  const report = yield* Effect.repeat(Effect.delay(world.standIn.report, "1 second"), {
    until: (now) => now.posts.length >= posts || Date.now() > end
  })
  const late = report.posts.map(({ at }) => at - due).toSorted((one, other) => one - other)
  const reused = report.refreshTokens.length - new Set(report.refreshTokens).size
  const figures = {
    posts,
    published: late.length,
    "twice on a timeline": late.length - new Set(report.posts.map(({ accountId }) => accountId)).size,
    early: late.filter((millis) => millis < 0).length,
    "late, median": `${percentile(late, 0.5)} ms`,
    "late, p99": `${percentile(late, 0.99)} ms`,
    "late, max": `${late.at(-1)} ms`,
    "later than allowed": late.filter((millis) => millis > within).length,
    renewals: report.refreshTokens.length,
    "refresh tokens used twice": reused
  }
  yield* Console.log(
    Object.entries(figures)
      .map(([name, value]) => `${name.padEnd(28)} ${value}`)
      .join("\n")
  )
  const isGood =
    late.length === posts &&
    figures["twice on a timeline"] === 0 &&
    figures.early === 0 &&
    reused === 0 &&
    (values.kill !== undefined || figures["later than allowed"] === 0)
  if (isGood) return true
  yield* Console.log(`Logs are in ${directory}`)
  yield* Effect.sync(() => {
    process.exitCode = 1
  })
  return false
})

/**
 * All posts are due at the same moment, each on its own account whose access has ended, while X's token endpoint is
 * slow. Each post must be published within seconds, and no refresh token may be used twice.
 */
NodeRuntime.runMain(
  Effect.gen(function* () {
    const directory = yield* Effect.promise(() => mkdtemp(path.join(tmpdir(), "chaos-")))
    yield* Console.log(
      `renewals: ${posts} accounts, in ${directory}, ${cpus()[0]?.model}, ${availableParallelism()} cores`
    )
    const isGood = yield* Effect.scoped(campaign(directory))
    if (isGood) yield* Effect.promise(() => rm(directory, { recursive: true, force: true }))
  })
)
