import { Effect } from "effect"
import { now } from "./answerParent.ts"
import { withCpu } from "./cpu.ts"
import type { Database } from "./database.ts"
import { accounts } from "./drain.ts"
import { progress } from "./progress.ts"
import type { Publisher } from "./publishers.ts"
import type { Platform } from "./startPlatform.ts"

export const postsPerSecond = 100
/** The posts are stored this many milliseconds before the first post is due. */
const lead = 3000

/** The lateness of `count` posts that fall due at a steady rate, and the CPU time of each. */
export const publishSteadily = Effect.fn("publishSteadily")(function* (
  database: Database,
  platform: Platform,
  publisher: Publisher,
  { count, prefix }: { readonly count: number; readonly prefix: string }
) {
  yield* progress(`${prefix}: ${publisher.name}`)
  yield* platform.reset(0)
  // The API's due times are whole milliseconds.
  const firstDue = Math.ceil(now()) + lead
  const spacing = 1000 / postsPerSecond
  yield* publisher.insert({ prefix, count, accounts, firstDue, spacing })
  const { node, postgres } = yield* withCpu(
    Effect.andThen(platform.wait(count), publisher.settled),
    publisher.pids,
    database.postmaster
  )
  const arrivals = yield* platform.arrivals
  const times = Array.from(arrivals, ([text, at]) => at - (firstDue + Number(text.slice(prefix.length)) * spacing))
  return { times, node: node / count, postgres: postgres / count }
})
