import { Effect } from "effect"
import { runSql, startDatabase } from "../support/database.ts"
import { accounts, drain, postsTogether } from "../support/drain.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { makePublishNow, untilArrival } from "../support/publishNow.ts"
import { awaitNone, startServicePublisher } from "../support/publishers.ts"
import { reachingLoopback } from "../support/service.ts"
import { startPlatform } from "../support/startPlatform.ts"
import { median, percentile } from "../support/statistics.ts"
import { makeTeams } from "../support/teams.ts"
import { makeWebhooks } from "../support/webhooks.ts"

/** The cost for publishing, in the same process, of a webhook in each workspace. */
export const webhooksBesidePublishing = Effect.fn("webhooksBesidePublishing")(function* ({
  quick,
  rounds
}: BenchOptions) {
  const posts = postsTogether(quick)
  const orders = quick ? 25 : 100
  const database = yield* startDatabase
  const teams = yield* makeTeams(database, accounts, ["twitter"])
  const platform = yield* startPlatform
  yield* makeWebhooks(database, teams, `${platform.url}/unmeasured`)
  const publisher = yield* startServicePublisher(database, platform, 1, reachingLoopback)
  const publishNow = makePublishNow(`${publisher.services[0]?.url}/v1/posts`)

  // An event that is dispatched while the webhooks are off would wait until they are on again.
  const delivered = Effect.andThen(
    awaitNone(database, "SELECT FROM events WHERE position IS NULL AND audience = 'webhooks'"),
    awaitNone(database, "SELECT FROM webhook_deliveries WHERE next_at IS NOT NULL")
  )
  const measure = Effect.fnUntraced(function* (follow: boolean, name: string) {
    yield* runSql(database, `UPDATE webhooks SET disabled_reason = ${follow ? "NULL" : "'manual'"}`)
    const { node, perSecond, postgres } = yield* drain(database, platform, publisher, { prefix: name, posts, delay: 0 })
    yield* delivered
    const times: Array<number> = []
    for (let number = 0; number < orders; number++) {
      const key = teams[number % teams.length]?.key ?? ""
      times.push(yield* untilArrival(platform, publishNow(`${name}, number ${number}`, key)))
    }
    yield* delivered
    return { perSecond, node, postgres, times }
  })

  yield* measure(true, "Warm-up")
  const measured = [
    { name: "none", follow: false, results: new Array<Effect.Success<ReturnType<typeof measure>>>() },
    { name: "one each", follow: true, results: new Array<Effect.Success<ReturnType<typeof measure>>>() }
  ]
  for (let round = 1; round <= rounds; round++) {
    for (const { follow, name, results } of measured) {
      results.push(yield* measure(follow, `Round ${round}, webhooks: ${name}`))
    }
  }
  return [
    {
      title: "Publishing with webhooks",
      notes: `${posts} posts of ${accounts} workspaces that fall due at the same time, and ${orders} that are published by the API one by one; ${rounds} rounds, medians. CPU time is for each post until its result is stored, with what is delivered in that time.`,
      rows: measured.map(({ name, results }) => ({
        webhooks: name,
        "posts/s": median(results.map(({ perSecond }) => perSecond)),
        "node, µs": median(results.map(({ node }) => node)),
        "PostgreSQL, µs": median(results.map(({ postgres }) => postgres)),
        "publish now, p50, ms": median(results.map(({ times }) => median(times))),
        "publish now, p99, ms": median(results.map(({ times }) => percentile(times, 0.99)))
      }))
    } satisfies Section
  ]
})
