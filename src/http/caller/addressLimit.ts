import { Clock, Duration, Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { subscriberOf } from "./clientNetwork.ts"

/** What one address may get wrong: so many in a minute. */
interface Allowance {
  readonly perMinute: number
}

interface Count {
  readonly endsAt: number
  wrong: number
}

const windowMillis = Duration.toMillis(Duration.minutes(1))

/** How many addresses are remembered; the one that was wrong first is forgotten first. */
const capacity = 10_000

const callerOf = (request: HttpServerRequest.HttpServerRequest): string =>
  Option.match(request.remoteAddress, { onNone: () => "unknown", onSome: subscriberOf })

/**
 * Counts what callers get wrong by their address, within this process: what is wrong names no workspace that it could be
 * counted for, and must not cost one.
 */
export const makeAddressLimit = ({ perMinute }: Allowance) => {
  const counts = new Map<string, Count>()

  const countOf = (caller: string, now: number): Count | undefined => {
    const count = counts.get(caller)
    return count === undefined || count.endsAt <= now ? undefined : count
  }

  const remember = (caller: string, count: Count) => {
    counts.delete(caller)
    counts.set(caller, count)
    if (counts.size <= capacity) return
    for (const [first] of counts) {
      counts.delete(first)
      break
    }
  }

  return {
    /** How long an address has to wait that has used up what it may get wrong. */
    wait: (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Option.Option<Duration.Duration>> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        // This is asked for every request, and most of the time nobody gets anything wrong.
        const count = counts.size === 0 ? undefined : countOf(callerOf(request), now)
        return count === undefined || count.wrong < perMinute
          ? Option.none()
          : Option.some(Duration.millis(count.endsAt - now))
      }),
    /** Counts one more. */
    count: (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const caller = callerOf(request)
        const count = countOf(caller, now)
        if (count === undefined) remember(caller, { endsAt: now + windowMillis, wrong: 1 })
        else count.wrong += 1
      }),
    /** Takes one back that was counted before it turned out to be right. */
    forgive: (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const count = countOf(callerOf(request), now)
        if (count !== undefined) count.wrong -= 1
      })
  }
}
