import { Effect } from "effect"
import { now } from "./answerParent.ts"
import { withCpu } from "./cpu.ts"
import { type Database, runSql } from "./database.ts"
import { progress } from "./progress.ts"
import type { Publisher } from "./publishers.ts"
import type { Platform } from "./startPlatform.ts"

export const accounts = 2000

/** The number of posts that are due at the same time. */
export const postsTogether = (quick: boolean): number => (quick ? 2000 : 10_000)

/** The delays of the platform's responses with which publishing is measured, in milliseconds. */
export const delays = [0, 100]

export interface Drain {
  readonly prefix: string
  readonly posts: number
  /** The delay of the platform's responses, in milliseconds. */
  readonly delay: number
}

/** Posts are stored this many milliseconds before they are due, which is enough to store and analyze them. */
const leadFor = (posts: number) => 3000 + posts / 2

/**
 * Lets a publisher send posts that are all due at the same time. The posts are stored and analyzed earlier, as in
 * operation. The time is measured from the first post's arrival at the platform until every result is stored.
 */
export const drain = Effect.fn("drain")(function* (
  database: Database,
  platform: Platform,
  publisher: Publisher,
  { delay, posts, prefix }: Drain
) {
  yield* progress(`${prefix}, ${delay} ms: ${publisher.name}`)
  yield* platform.reset(delay)
  yield* runSql(database, "VACUUM")
  yield* publisher.insert({ prefix, count: posts, accounts, firstDue: now() + leadFor(posts), spacing: 0 })
  yield* runSql(database, "ANALYZE")
  const { node, postgres } = yield* withCpu(
    Effect.andThen(platform.wait(posts), publisher.settled),
    publisher.pids,
    database.postmaster
  )
  const settledAt = now()
  const arrivals = yield* platform.arrivals
  const first = Math.min(...arrivals.values())
  return { perSecond: (posts * 1000) / (settledAt - first), node: node / posts, postgres: postgres / posts }
})
