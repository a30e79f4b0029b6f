import { Effect } from "effect"
import { startDatabase } from "../support/database.ts"
import { accounts, delays, drain, postsTogether } from "../support/drain.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { startPeerPublishers, startServicePublisher } from "../support/publishers.ts"
import { startPlatform } from "../support/startPlatform.ts"
import { median, medianRatio } from "../support/statistics.ts"
import { makeTeams } from "../support/teams.ts"

/** The other publishers are compared with this peer. */
const reference = "SKIP LOCKED loop"

/** The rate at which due posts are published. */
export const publishing = Effect.fn("publishing")(function* ({ quick, rounds }: BenchOptions) {
  const posts = postsTogether(quick)
  const database = yield* startDatabase
  yield* makeTeams(database, accounts, ["twitter"])
  const platform = yield* startPlatform
  const service = yield* startServicePublisher(database, platform)
  const publishers = [service, ...(yield* startPeerPublishers(database, platform))]
  const measured = new Map<string, Array<Effect.Success<ReturnType<typeof drain>>>>()
  for (const publisher of publishers) {
    yield* drain(database, platform, publisher, { prefix: "Warm-up", posts: posts / 5, delay: 0 })
  }
  for (let round = 1; round <= rounds; round++) {
    for (const delay of delays) {
      for (const publisher of publishers) {
        const name = `${publisher.name} ${delay}`
        const prefix = `Round ${round} at ${delay}`
        const drained = yield* drain(database, platform, publisher, { prefix, posts, delay })
        measured.set(name, [...(measured.get(name) ?? []), drained])
      }
    }
  }
  const rows = delays.flatMap((delay) =>
    publishers.map(({ name }) => {
      const all = measured.get(`${name} ${delay}`) ?? []
      const loop = measured.get(`${reference} ${delay}`) ?? []
      const rates = (drains: typeof all) => drains.map(({ perSecond }) => perSecond)
      const cpu = (drains: typeof all) => drains.map(({ node, postgres }) => node + postgres)
      return {
        "platform, ms": delay,
        publisher: name,
        "posts/s": median(rates(all)),
        "rate, of the loop": medianRatio(rates(all), rates(loop)),
        "CPU, of the loop": medianRatio(cpu(all), cpu(loop)),
        "node, µs": median(all.map(({ node }) => node)),
        "PostgreSQL, µs": median(all.map(({ postgres }) => postgres))
      }
    })
  )
  return [
    {
      title: "Publishing",
      notes: `${posts} posts on ${accounts} accounts fall due at the same time; ${rounds} rounds, medians. Until every result is stored. CPU time is for each post. The peers keep 256 in flight, and know neither accounts nor unknown outcomes.`,
      rows
    } satisfies Section
  ]
})
