import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { now } from "../support/answerParent.ts"
import { withCpu } from "../support/cpu.ts"
import { type Database, runSql, startDatabase } from "../support/database.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { progress } from "../support/progress.ts"
import { awaitNone } from "../support/publishers.ts"
import { startService } from "../support/service.ts"
import { startPlatform } from "../support/startPlatform.ts"
import { median } from "../support/statistics.ts"
import { makeTeams } from "../support/teams.ts"
import { makeWebhooks } from "../support/webhooks.ts"
import { webhookDelays } from "./webhookDelays.ts"
import { webhooksBesidePublishing } from "./webhooksBesidePublishing.ts"

const receivers = 200
const delays = [0, 100]

/** Records events for the workspaces in turn, as publishing does. */
const insertEvents = (database: Database, count: number) =>
  runSql(
    database,
    `INSERT INTO events (id, workspace_id, type, audience, data, post_id, created_at)
    SELECT uuidv7(), w.id, 'post.published', 'webhooks', jsonb_build_object('post_id', w.id, 'status', 'published',
      'targets', jsonb_build_array(jsonb_build_object('platform', 'twitter', 'status', 'published',
        'url', 'https://x.com/team/status/1234567890123456789', 'error_code', null))), w.id, now()
    FROM generate_series(0, ${count} - 1) g
    JOIN (SELECT id, row_number() OVER () - 1 AS n FROM workspaces) w ON w.n = g % ${receivers}`
  )

/** The rate at which events are delivered to webhooks. */
const throughput = Effect.fn("throughput")(function* ({ quick, rounds }: BenchOptions) {
  const events = quick ? 4000 : 20_000
  const database = yield* startDatabase
  const platform = yield* startPlatform
  const teams = yield* makeTeams(database, receivers, [])
  const secrets = yield* makeWebhooks(database, teams, `${platform.url}/hooks`)
  const service = yield* startService(database, { PLATFORMS: "sandbox" })
  let verified = 0

  const verifySample = Effect.gen(function* () {
    for (const { body, headers, path } of yield* platform.sample) {
      yield* Effect.sync(() => new Webhook(secrets.get(Number(path.split("/").at(-1))) ?? "").verify(body, headers))
      verified++
    }
  })

  const deliver = Effect.fnUntraced(function* (delay: number, name: string) {
    yield* progress(`${name}, ${delay} ms`)
    yield* platform.reset(delay)
    yield* runSql(database, "VACUUM ANALYZE")
    const cpu = yield* withCpu(
      Effect.gen(function* () {
        yield* insertEvents(database, events)
        yield* platform.wait(events)
        yield* awaitNone(database, "SELECT FROM webhook_deliveries WHERE next_at IS NOT NULL")
      }),
      [service.pid],
      database.postmaster
    )
    const settledAt = now()
    const first = Math.min(...(yield* platform.arrivals).values())
    yield* verifySample
    return {
      perSecond: (events * 1000) / (settledAt - first),
      node: cpu.node / events,
      postgres: cpu.postgres / events
    }
  })

  yield* deliver(0, "Warm-up")
  const rows: Array<Section["rows"][number]> = []
  for (const delay of delays) {
    const all: Array<Effect.Success<ReturnType<typeof deliver>>> = []
    for (let round = 1; round <= rounds; round++) all.push(yield* deliver(delay, `Round ${round}`))
    rows.push({
      "receiver, ms": delay,
      "deliveries/s": median(all.map(({ perSecond }) => perSecond)),
      "node, µs": median(all.map(({ node }) => node)),
      "PostgreSQL, µs": median(all.map(({ postgres }) => postgres))
    })
  }
  return [
    {
      title: "Webhooks",
      notes: `${events} events to ${receivers} webhooks, recorded together; ${rounds} rounds, medians. From the first delivery until every result is stored, by one process. CPU time is for each delivery. Each arrived once; the signatures of ${verified} were verified.`,
      rows
    } satisfies Section
  ]
})

/** The rate and the delay of events to webhooks, and their cost for publishing. */
export const webhooks = (options: BenchOptions) =>
  Effect.map(
    Effect.forEach([throughput, webhookDelays, webhooksBesidePublishing], (part) => Effect.scoped(part(options))),
    (sections) => sections.flat()
  )
