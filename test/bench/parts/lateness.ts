import { Effect } from "effect"
import { startDatabase } from "../support/database.ts"
import { accounts, drain } from "../support/drain.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { postsPerSecond, publishSteadily } from "../support/publishSteadily.ts"
import { startPeerPublishers, startServicePublisher } from "../support/publishers.ts"
import { startPlatform } from "../support/startPlatform.ts"
import { median, percentile } from "../support/statistics.ts"
import { makeTeams } from "../support/teams.ts"

/**
 * The lateness of posts that fall due at a steady rate when they arrive at the platform, and the CPU time of each post.
 */
export const lateness = Effect.fn("lateness")(function* ({ quick, rounds }: BenchOptions) {
  const seconds = quick ? 5 : 30
  const count = postsPerSecond * seconds
  const database = yield* startDatabase
  yield* makeTeams(database, accounts, ["twitter"])
  const platform = yield* startPlatform
  const publishers = [
    yield* startServicePublisher(database, platform),
    ...(yield* startPeerPublishers(database, platform))
  ]
  const measured = publishers.map((publisher) => ({
    publisher,
    p50: new Array<number>(),
    p99: new Array<number>(),
    node: new Array<number>(),
    postgres: new Array<number>()
  }))

  for (const { publisher } of measured) {
    yield* drain(database, platform, publisher, { prefix: "Warm-up", posts: 500, delay: 0 })
  }
  for (let round = 1; round <= rounds; round++) {
    for (const row of measured) {
      const { node, postgres, times } = yield* publishSteadily(database, platform, row.publisher, {
        prefix: `Round ${round} number`,
        count
      })
      row.p50.push(median(times))
      row.p99.push(percentile(times, 0.99))
      row.node.push(node)
      row.postgres.push(postgres)
    }
  }
  const rows = measured.map(({ node, p50, p99, postgres, publisher }) => ({
    publisher: publisher.name,
    "p50, ms": median(p50),
    "p99, ms": median(p99),
    "node, µs": median(node),
    "PostgreSQL, µs": median(postgres)
  }))
  return [
    {
      title: "Lateness",
      notes: `From the due time until the post arrives at the platform, ${postsPerSecond} posts a second for ${seconds} s; medians of ${rounds} rounds.`,
      rows
    } satisfies Section
  ]
})
