import { Effect, Schema } from "effect"
import { type Database, runSql, startDatabase } from "../support/database.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { progress } from "../support/progress.ts"
import { startService } from "../support/service.ts"
import { startPlatform } from "../support/startPlatform.ts"
import { median, percentile } from "../support/statistics.ts"
import { makeTeams } from "../support/teams.ts"
import { makeWebhooks } from "../support/webhooks.ts"

const endpoints = 100

/** The number of events that are recorded together, once per `interval`. */
const batch = 10
const interval = "100 millis"

const Recorded = Schema.Array(Schema.Struct({ id: Schema.String, at: Schema.Finite }))

/** Records one event in each of the next workspaces, and returns the time of each event by its id. */
const record = (database: Database, from: number) =>
  runSql(
    database,
    `INSERT INTO events (id, workspace_id, type, audience, data, post_id, created_at)
    SELECT uuidv7(), w.id, 'post.deleted', 'webhooks', jsonb_build_object('post_id', w.id), w.id, clock_timestamp()
    FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM workspaces) w
    WHERE w.n >= ${from % endpoints} AND w.n < ${(from % endpoints) + batch}
    RETURNING id::text, (extract(epoch FROM created_at) * 1000)::float8 AS at`
  ).pipe(Effect.flatMap(Schema.decodeUnknownEffect(Recorded)), Effect.orDie)

/**
 * If `faulty`, the first workspace's webhook refuses connections and the second workspace's webhook hangs. Otherwise
 * all respond.
 */
const setFaults = (database: Database, url: string, faulty: boolean) =>
  runSql(
    database,
    "DELETE FROM events WHERE id IN (SELECT event_id FROM webhook_deliveries WHERE next_at IS NOT NULL)",
    `UPDATE webhooks SET failures = 0, failing_since = NULL, held_until = NULL, strained = false, disabled_reason = NULL,
      url = CASE WHEN NOT ${faulty} OR w.n > 1 THEN '${url}/hooks/' || w.n
        WHEN w.n = 0 THEN 'http://127.0.0.1:1/' ELSE '${url}/hanging/' END
    FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM workspaces) w WHERE w.id = webhooks.workspace_id`
  )

/** The time until events arrive at 100 webhooks, and if two webhooks that are down delay the events of the others. */
export const webhookDelays = Effect.fn("webhookDelays")(function* ({ quick, rounds }: BenchOptions) {
  const perRound = quick ? 1000 : 2000
  const database = yield* startDatabase
  const platform = yield* startPlatform
  yield* makeWebhooks(database, yield* makeTeams(database, endpoints, []), `${platform.url}/hooks`)
  yield* startService(database, { PLATFORMS: "sandbox" })

  const measure = Effect.fnUntraced(function* (faulty: boolean) {
    yield* progress(faulty ? "one webhook refuses and one hangs" : "all webhooks respond")
    yield* platform.reset(0)
    yield* setFaults(database, platform.url, faulty)
    const recorded = new Map<string, number>()
    for (let from = 0; from < perRound; from += batch) {
      for (const { at, id } of yield* record(database, from)) recorded.set(id, at)
      yield* Effect.sleep(interval)
    }
    yield* platform.wait((perRound * (faulty ? endpoints - 2 : endpoints)) / endpoints)
    return [...(yield* platform.arrivals)].flatMap(([name, at]) => {
      const [path = "", id = ""] = name.split(" ")
      return Number(path.split("/").at(-1)) > 1 ? [at - (recorded.get(id) ?? Number.NaN)] : []
    })
  })

  yield* measure(false)
  const measured = [
    { state: "all respond", faulty: false, rounds: new Array<ReadonlyArray<number>>() },
    { state: "one refuses, one hangs", faulty: true, rounds: new Array<ReadonlyArray<number>>() }
  ]
  for (let round = 1; round <= rounds; round++) {
    for (const state of measured) state.rounds.push(yield* measure(state.faulty))
  }
  return [
    {
      title: "Delay of webhooks",
      notes: `From an event until it arrives, at ${batch * 10} events a second to ${endpoints} webhooks, of which 98 are measured; ${rounds} rounds of ${perRound} events, medians.`,
      rows: measured.map((each) => ({
        webhooks: each.state,
        "p50, ms": median(each.rounds.map((delays) => median(delays))),
        "p99, ms": median(each.rounds.map((delays) => percentile(delays, 0.99)))
      }))
    } satisfies Section
  ]
})
