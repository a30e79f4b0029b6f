import { Clock, Context, DateTime, Duration, Effect } from "effect"

interface Window {
  readonly start: number
  own: number
  /** The tokens in `own` that other processes don't know yet. */
  unshared: number
  /** Other processes' tokens, as far as known. */
  others: number
  /** True if the total was read after the window had ended. */
  final: boolean
}

interface Counter {
  readonly windowMillis: number
  /** True if tokens were requested since its windows were last shared. */
  used: boolean
  previous: Window
  current: Window
}

export interface UnsharedCount {
  readonly key: string
  readonly windowStart: DateTime.Utc
  readonly count: number
  /** `total` is the sum over all processes. */
  readonly confirm: (total: number) => void
}

const makeWindow = (start: number): Window => ({ start, own: 0, unshared: 0, others: 0, final: false })

const total = ({ others, own }: Window): number => own + others

const findCurrent = (counters: Map<string, Counter>, key: string, now: number, windowMillis: number): Counter => {
  const start = Math.floor(now / windowMillis) * windowMillis
  const known = counters.get(key)
  if (known?.current.start === start && known.windowMillis === windowMillis) {
    known.used = true
    return known
  }
  const isNext = known?.current.start === start - windowMillis && known.windowMillis === windowMillis
  const counter = {
    windowMillis,
    used: true,
    previous: isNext ? known.current : makeWindow(start - windowMillis),
    current: makeWindow(start)
  }
  counters.set(key, counter)
  return counter
}

/** The previous window's tokens that still count `elapsed` milliseconds after its end. They fade out evenly. */
const weigh = (count: number, elapsed: number, windowMillis: number): number =>
  Math.ceil((count * (windowMillis - elapsed)) / windowMillis)

const fadeMillis = (count: number, room: number, windowMillis: number): number =>
  room >= count ? 0 : Math.ceil((windowMillis * (count - room)) / count)

/** In milliseconds, if nobody takes other tokens first. */
const waitMillis = ({ current, previous, windowMillis }: Counter, limit: number, tokens: number, elapsed: number) => {
  const room = limit - tokens - total(current)
  return room >= 0
    ? fadeMillis(total(previous), room, windowMillis) - elapsed
    : windowMillis - elapsed + fadeMillis(total(current), limit - tokens, windowMillis)
}

const toUnsharedCount = (key: string, counter: Counter, window: Window, hasEnded: boolean): UnsharedCount => {
  const count = window.unshared
  return {
    key,
    windowStart: DateTime.makeUnsafe(window.start),
    count,
    confirm: (sum) => {
      counter.used = false
      window.unshared -= count
      window.others = Math.max(0, sum - (window.own - window.unshared))
      window.final = hasEnded
    }
  }
}

export interface TokenRequest {
  readonly key: string
  /** The most tokens in any period of the window's length. */
  readonly limit: number
  readonly window: Duration.Duration
  readonly tokens?: number
}

export interface Taken {
  readonly isTaken: boolean
  readonly remaining: number
  /** Until the window ends if the tokens were taken; otherwise until they can be. */
  readonly millis: number
}

/** A function, not an effect: every request calls it, and it only counts in memory. */
export class RateLimits extends Context.Service<RateLimits, { readonly take: (request: TokenRequest) => Taken }>()(
  "social-publisher/repo/RateLimits"
) {}

/**
 * A sliding window counter. Windows begin at multiples of their length in every process. The previous window's tokens
 * are assumed to be evenly spread, and count until they are one length old. So the limit holds for any period of that
 * length, as far as two counts can tell.
 */
export const makeRateLimitCounts = Effect.map(Clock.Clock, (clock) => {
  const counters = new Map<string, Counter>()

  const take: RateLimits["Service"]["take"] = ({ key, limit, tokens = 1, window }) => {
    const now = clock.currentTimeMillisUnsafe()
    const windowMillis = Duration.toMillis(window)
    const counter = findCurrent(counters, key, now, windowMillis)
    const { current, previous } = counter
    const elapsed = now - current.start
    const taken = weigh(total(previous), elapsed, windowMillis) + total(current) + tokens
    if (taken > limit) {
      return { isTaken: false, remaining: 0, millis: waitMillis(counter, limit, tokens, elapsed) }
    }
    current.own += tokens
    current.unshared += tokens
    return { isTaken: true, remaining: limit - taken, millis: windowMillis - elapsed }
  }

  return {
    limits: RateLimits.of({ take }),
    /**
     * The counts of keys used since the last sharing or with unshared tokens: the current window's, even if 0, and the
     * previous window's until it is final. Sharing returns the others' counts. Drops windows that no longer count.
     */
    unshared: Effect.map(Clock.currentTimeMillis, (now) =>
      [...counters].flatMap(([key, counter]) => {
        const { current, previous, used, windowMillis } = counter
        if (current.start + 2 * windowMillis <= now) {
          counters.delete(key)
          return []
        }
        const hasEnded = current.start + windowMillis <= now
        const isShared = !used && current.unshared === 0 && previous.unshared === 0
        if (isShared || (hasEnded && current.final)) return []
        return [
          ...(previous.final || hasEnded ? [] : [toUnsharedCount(key, counter, previous, true)]),
          toUnsharedCount(key, counter, current, hasEnded)
        ]
      })
    )
  }
})
