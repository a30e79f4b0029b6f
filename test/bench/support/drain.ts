import { Effect } from "effect"
import { now } from "./answerParent.ts"
import { withCpu } from "./cpu.ts"
import { type Database, runSql } from "./database.ts"
import { progress } from "./progress.ts"
import type { Publisher } from "./publishers.ts"
import type { Platform } from "./startPlatform.ts"

export const accounts = 2000

export interface Drain {
  readonly prefix: string
  readonly posts: number
  /** How long the platform takes for a response, in milliseconds. */
  readonly delay: number
}

/**
 * Lets a publisher send posts that all fall due at once. The time runs from the first post's arrival at the platform until
 * every result is stored, so it does not hold how long storing the posts took.
 */
export const drain = Effect.fn("drain")(function* (
  database: Database,
  platform: Platform,
  publisher: Publisher,
  { delay, posts, prefix }: Drain
) {
  yield* runSql(database, "VACUUM (ANALYZE)")
  yield* progress(`${prefix}, ${delay} ms: ${publisher.name}`)
  yield* platform.reset(delay)
  const { node, postgres } = yield* withCpu(
    Effect.gen(function* () {
      yield* publisher.insert({ prefix, count: posts, accounts, firstDue: now(), spacing: 0 })
      yield* platform.wait(posts)
      yield* publisher.settled
    }),
    publisher.pids,
    database.postmaster
  )
  const settledAt = now()
  const arrivals = yield* platform.arrivals
  const first = Math.min(...arrivals.values())
  return { perSecond: (posts * 1000) / (settledAt - first), node: node / posts, postgres: postgres / posts }
})
