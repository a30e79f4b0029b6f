import { Effect } from "effect"
import { startDatabase } from "../support/database.ts"
import { accounts, delays, drain, postsTogether } from "../support/drain.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { startServicePublisher } from "../support/publishers.ts"
import { startPlatform } from "../support/startPlatform.ts"
import { median, medianRatio } from "../support/statistics.ts"
import { makeTeams } from "../support/teams.ts"

const counts = [1, 2, 4]

/** The publishing rate of several processes of the service, compared with one process. */
export const processes = Effect.fn("processes")(function* ({ quick, rounds }: BenchOptions) {
  const posts = postsTogether(quick)
  const database = yield* startDatabase
  yield* makeTeams(database, accounts, ["twitter"])
  const platform = yield* startPlatform
  const measured = new Map<string, Array<number>>()

  const measure = Effect.fnUntraced(function* (count: number, round: number) {
    const service = yield* startServicePublisher(database, platform, count)
    const prefix = `Round ${round} with ${count}`
    yield* drain(database, platform, service, { prefix: `${prefix}, warm-up`, posts: posts / 5, delay: 0 })
    for (const delay of delays) {
      const name = `${count} ${delay}`
      const { perSecond } = yield* drain(database, platform, service, { prefix: `${prefix} at ${delay}`, posts, delay })
      measured.set(name, [...(measured.get(name) ?? []), perSecond])
    }
  }, Effect.scoped)

  for (let round = 1; round <= rounds; round++) {
    for (const count of counts) yield* measure(count, round)
  }
  const rows = delays.flatMap((delay) =>
    counts.map((count) => {
      const rates = measured.get(`${count} ${delay}`) ?? []
      return {
        "platform, ms": delay,
        processes: count,
        "posts/s": median(rates),
        "of one": medianRatio(rates, measured.get(`${counts[0]} ${delay}`) ?? [])
      }
    })
  )
  return [
    {
      title: "Processes",
      notes: `${posts} posts on ${accounts} accounts fall due at the same time; ${rounds} rounds, medians.`,
      rows
    } satisfies Section
  ]
})
