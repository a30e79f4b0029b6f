import { Clock, DateTime, Duration, Effect } from "effect"
import { RateLimiter } from "effect/persistence"

interface Counter {
  readonly windowStart: number
  readonly windowMillis: number
  /** Tokens taken through this process. */
  own: number
  /** How many of `own` the other processes do not know of. */
  unshared: number
  /** Tokens taken through other processes, as far as this one knows. */
  others: number
}

/** A count that the other processes do not know of. */
export interface UnsharedCount {
  readonly key: string
  readonly windowStart: DateTime.Utc
  readonly count: number
  /** Records that it was shared; `total` is the sum over all processes. */
  readonly confirm: (total: number) => void
}

/**
 * Counts tokens in fixed windows that begin at multiples of their length, which are the same in every process. The windows
 * of Effect's own stores begin with the first request and grow with every further one.
 */
export const makeRateLimitCounts = Effect.map(RateLimiter.RateLimiterStore, (memoryStore) => {
  const counters = new Map<string, Counter>()

  const currentCounter = (key: string, now: number, windowMillis: number): Counter => {
    const windowStart = Math.floor(now / windowMillis) * windowMillis
    const known = counters.get(key)
    if (known?.windowStart === windowStart) return known
    const fresh: Counter = { windowStart, windowMillis, own: 0, unshared: 0, others: 0 }
    counters.set(key, fresh)
    return fresh
  }

  const fixedWindow: RateLimiter.RateLimiterStore["Service"]["fixedWindow"] = ({ key, limit, refillRate, tokens }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const windowMillis = Math.round(Duration.toMillis(refillRate) * (limit ?? 1))
      const counter = currentCounter(key, now, windowMillis)
      const taken = counter.own + counter.others + tokens
      if (limit === undefined || taken <= limit) {
        counter.own += tokens
        counter.unshared += tokens
      }
      return [taken, counter.windowStart + windowMillis - now] as const
    })

  const toUnsharedCount = ([key, counter]: readonly [string, Counter]): UnsharedCount => {
    const count = counter.unshared
    return {
      key,
      windowStart: DateTime.makeUnsafe(counter.windowStart),
      count,
      confirm: (total) => {
        counter.unshared -= count
        counter.others = Math.max(0, total - (counter.own - counter.unshared))
      }
    }
  }

  return {
    store: RateLimiter.RateLimiterStore.of({ ...memoryStore, fixedWindow }),
    /** One for each key in its current window, also where it is 0: sharing it returns the others' counts. Drops past windows. */
    unshared: Effect.map(Clock.currentTimeMillis, (now) => {
      for (const [key, counter] of counters) {
        if (counter.windowStart + counter.windowMillis <= now) counters.delete(key)
      }
      return [...counters].map(toUnsharedCount)
    })
  }
}).pipe(Effect.provide(RateLimiter.layerStoreMemory))
