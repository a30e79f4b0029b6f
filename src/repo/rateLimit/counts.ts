import { Clock, Duration, Effect } from "effect"
import { RateLimiter } from "effect/persistence"

interface Count {
  readonly windowStart: number
  readonly windowMillis: number
  /** Taken through this process. */
  own: number
  /** Of these, how many the other processes have not been told of yet. */
  unsettled: number
  /** Taken through other processes, as far as is known. */
  elsewhere: number
}

/** What this process has to tell the others. */
export interface Owed {
  readonly key: string
  readonly windowStart: Date
  readonly owed: number
  /** Takes note that the others were told; `total` is what all processes have taken together. */
  readonly settle: (total: number) => void
}

/**
 * Counts what is taken in windows that begin at multiples of their length, the same in every process. Unlike the windows
 * of Effect's own stores, they neither begin with the first request nor grow with every further one.
 */
export const makeRateLimitCounts = Effect.map(RateLimiter.RateLimiterStore, (others) => {
  const counts = new Map<string, Count>()

  const current = (key: string, now: number, windowMillis: number): Count => {
    const windowStart = Math.floor(now / windowMillis) * windowMillis
    const known = counts.get(key)
    if (known?.windowStart === windowStart) return known
    const fresh: Count = { windowStart, windowMillis, own: 0, unsettled: 0, elsewhere: 0 }
    counts.set(key, fresh)
    return fresh
  }

  const fixedWindow: RateLimiter.RateLimiterStore["Service"]["fixedWindow"] = ({ key, limit, refillRate, tokens }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const windowMillis = Math.round(Duration.toMillis(refillRate) * (limit ?? 1))
      const count = current(key, now, windowMillis)
      const taken = count.own + count.elsewhere + tokens
      if (limit === undefined || taken <= limit) {
        count.own += tokens
        count.unsettled += tokens
      }
      return [taken, count.windowStart + windowMillis - now] as const
    })

  const owedBy = ([key, count]: readonly [string, Count]): Owed => {
    const owed = count.unsettled
    return {
      key,
      windowStart: new Date(count.windowStart),
      owed,
      settle: (total) => {
        count.unsettled -= owed
        count.elsewhere = Math.max(0, total - (count.own - count.unsettled))
      }
    }
  }

  return {
    store: RateLimiter.RateLimiterStore.of({ ...others, fixedWindow }),
    /** What the other processes have not been told of, none included, to hear of theirs; forgets the windows that are over. */
    owed: Effect.map(Clock.currentTimeMillis, (now) => {
      for (const [key, count] of counts) {
        if (count.windowStart + count.windowMillis <= now) counts.delete(key)
      }
      return [...counts].map(owedBy)
    })
  }
}).pipe(Effect.provide(RateLimiter.layerStoreMemory))
