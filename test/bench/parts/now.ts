import { Effect } from "effect"
import { now as currentTime } from "../support/answerParent.ts"
import { startDatabase } from "../support/database.ts"
import { accounts } from "../support/drain.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { progress } from "../support/progress.ts"
import { makePublishNow, publishInTurns, warmUp } from "../support/publishNow.ts"
import { type Publisher, startPeerPublishers, startServicePublisher } from "../support/publishers.ts"
import { startPlatform } from "../support/startPlatform.ts"
import { median, percentile } from "../support/statistics.ts"
import { makeTeams } from "../support/teams.ts"

/** The time from a request to publish a post until the post arrives at the platform, while nothing else runs. */
export const now = Effect.fn("now")(function* ({ quick }: BenchOptions) {
  const count = quick ? 50 : 200
  const database = yield* startDatabase
  const teams = yield* makeTeams(database, quick ? 100 : accounts, ["twitter"])
  const platform = yield* startPlatform
  const service = yield* startServicePublisher(database, platform)
  const url = `${service.services[0]?.url}/v1/posts`
  const responses: Array<number> = []

  const order = makePublishNow(url)
  const publishNow = Effect.fnUntraced(function* (text: string, number: number) {
    const ordered = yield* order(text, teams[number % teams.length]?.key ?? "")
    responses.push(ordered.response)
    return ordered
  })
  const insertNow = (publisher: Publisher) => (prefix: string) =>
    Effect.map(publisher.insert({ prefix, count: 1, accounts: 1, firstDue: currentTime(), spacing: 0 }), (at) => ({
      at
    }))
  const peers = yield* startPeerPublishers(database, platform)
  const contenders = [
    { name: "service, POST /v1/posts/:id/publish", order: publishNow },
    ...peers.map((peer) => ({ name: `${peer.name}, INSERT`, order: insertNow(peer) }))
  ]

  yield* progress(`publishing ${count} posts each`)
  const measured = yield* publishInTurns(platform, contenders, count)
  const rows = measured.map(({ name, times }) => ({
    publisher: name,
    "p50, ms": median(times),
    "p99, ms": percentile(times, 0.99)
  }))
  const response = median(responses.slice(warmUp))
  return [
    {
      title: "Publish now",
      notes: `From the order until the post arrives at the platform, ${count} times on an idle system. The service's response to the order takes ${response.toFixed(1)} ms (p50), which the peers don't have.`,
      rows
    } satisfies Section
  ]
})
