import { Effect, Fiber, Schedule } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import { performance } from "node:perf_hooks"
import { call } from "../../chaos/support/calls.ts"
import { withCpu } from "../support/cpu.ts"
import { type Database, runSql, startDatabase } from "../support/database.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { progress } from "../support/progress.ts"
import { startService } from "../support/service.ts"
import { median, percentile } from "../support/statistics.ts"
import { makeTeams } from "../support/teams.ts"

const posts = 5_000

/** Between two requests of the reader. */
const pause = "10 millis"

/** A page answers after this many milliseconds. */
const pageDelay = 100

/** The server of the posts' links, and its port. */
const startPages = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((_, response) => void setTimeout(() => response.end(), pageDelay)).listen(
      0,
      "127.0.0.1"
    )
    await once(server, "listening")
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("The pages have no port")
    return { server, port: address.port }
  }),
  ({ server }) => Effect.sync(() => server.close().closeAllConnections())
)

/** All are due within a day, on both accounts of the first team, with a link each. */
const insertDue = (database: Database, port: number) =>
  runSql(
    database,
    `WITH team AS (SELECT id FROM workspaces ORDER BY id LIMIT 1), added AS (
      INSERT INTO posts (id, workspace_id, status, content, scheduled_at, tags, platform_overrides, platform_settings, created_at)
      SELECT uuidv7(), team.id, 'scheduled',
        'Post ' || g || ': ' || repeat('what is new in our latest release, ', 3) || 'http://127.0.0.1:${port}/' || g % 300,
        date_trunc('milliseconds', now()) + interval '1 hour' + g * interval '17 seconds', '{release}', '{}', '{}', now()
      FROM team CROSS JOIN generate_series(1, ${posts}) g RETURNING id, workspace_id, scheduled_at)
    INSERT INTO post_targets (id, workspace_id, post_id, integration_id, platform, position, status, due_since, due_at)
    SELECT uuidv7(), i.workspace_id, added.id, i.id, i.platform, row_number() OVER (PARTITION BY added.id), 'pending',
      added.scheduled_at, added.scheduled_at
    FROM added JOIN integrations i ON i.workspace_id = added.workspace_id`,
    "VACUUM ANALYZE"
  )

const isRow = (rows: ReadonlyArray<object>) => rows.length > 0

/** The evening's check of a workspace with 5,000 due posts, and how requests of another workspace fare during it. */
export const outlook = Effect.fn("outlook")(function* ({ seconds }: BenchOptions) {
  const database = yield* startDatabase
  const teams = yield* makeTeams(database, 2, ["twitter", "bluesky"])
  const reader = teams.toSorted((one, other) => (one.workspaceId < other.workspaceId ? -1 : 1)).at(-1)
  const { port } = yield* startPages
  yield* insertDue(database, port)
  const service = yield* startService(database)
  const headers = { authorization: `Bearer ${reader?.key}` }

  /** Reads a page of posts again and again. Returns the response times in milliseconds. */
  const readPosts = Effect.fnUntraced(function* (times: Array<number>) {
    const began = performance.now()
    yield* call(`${service.url}/v1/posts?limit=20`, { headers })
    times.push(performance.now() - began)
  })
  const reading = (times: Array<number>) => Effect.repeat(readPosts(times), Schedule.spaced(pause))
  const untilRow = (condition: string) =>
    Effect.repeat(runSql(database, `SELECT FROM outlooks WHERE ${condition}`), {
      until: isRow,
      schedule: Schedule.spaced("20 millis")
    })

  yield* progress("warming up")
  yield* Effect.timeoutOption(reading([]), "5 seconds")
  yield* progress("reading without a check")
  const calm: Array<number> = []
  const before = yield* withCpu(
    Effect.timeoutOption(reading(calm), `${Math.max(20, seconds)} seconds`),
    [service.pid],
    database.postmaster
  )
  const calmSeconds = Math.max(20, seconds)

  yield* progress("waiting for the check")
  yield* runSql(
    database,
    `UPDATE outlooks SET due_at = now(), next_at = now()
      WHERE workspace_id = (SELECT id FROM workspaces ORDER BY id LIMIT 1)`
  )
  yield* untilRow("claim_token IS NOT NULL")
  const busy: Array<number> = []
  const load = yield* Effect.forkChild(reading(busy))
  const began = performance.now()
  const during = yield* withCpu(untilRow("checked_at IS NOT NULL"), [service.pid], database.postmaster)
  const took = (performance.now() - began) / 1000
  yield* Fiber.interrupt(load)
  yield* progress("reading after the check")
  yield* Effect.timeoutOption(reading(calm), `${calmSeconds} seconds`)
  const [told] = yield* runSql(database, "SELECT title FROM notifications WHERE type = 'outlook.checked'")

  const net = (micros: number, calmMicros: number) => (micros - (calmMicros / calmSeconds) * took) / 1_000_000
  return [
    {
      title: "The evening's check",
      notes: `${posts} posts of one workspace, due within a day on two accounts, with 300 links that answer after ${pageDelay} ms: ${JSON.stringify(told)}. CPU time is without that of the reader, which reads a page of another workspace's posts, ${pause} apart.`,
      rows: [
        {
          "check, s": took,
          "node, s": net(during.node, before.node),
          "PostgreSQL, s": net(during.postgres, before.postgres),
          "read otherwise, p50, ms": median(calm),
          "p99 otherwise, ms": percentile(calm, 0.99),
          "read during, p50, ms": median(busy),
          "p99 during, ms": percentile(busy, 0.99)
        }
      ]
    } satisfies Section
  ]
})
