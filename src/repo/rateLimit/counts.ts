import { Clock, Context, DateTime, Duration, Effect } from "effect"

/** What is known of the tokens of one window. */
interface Window {
  readonly start: number
  /** Tokens taken through this process. */
  own: number
  /** How many of `own` the other processes do not know of. */
  unshared: number
  /** Tokens taken through other processes, as far as this one knows. */
  others: number
  /** Whether the total was read after the window had ended. */
  final: boolean
}

interface Counter {
  readonly windowMillis: number
  /** Whether it was asked for tokens since its windows were last shared. */
  used: boolean
  previous: Window
  current: Window
}

/** A count that the other processes do not know of. */
export interface UnsharedCount {
  readonly key: string
  readonly windowStart: DateTime.Utc
  readonly count: number
  /** Records that it was shared; `total` is the sum over all processes. */
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

/** How many tokens the previous window still counts, `elapsed` milliseconds after its end: it fades out evenly. */
const weigh = (count: number, elapsed: number, windowMillis: number): number =>
  Math.ceil((count * (windowMillis - elapsed)) / windowMillis)

/** Milliseconds after the end of a window with `count` tokens until `room` of these no longer count. */
const fadeMillis = (count: number, room: number, windowMillis: number): number =>
  room >= count ? 0 : Math.ceil((windowMillis * (count - room)) / count)

/** How many milliseconds from now the tokens can be taken, if no others are taken until then. */
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

/** Tokens that are asked for. */
export interface TokenRequest {
  readonly key: string
  /** How many may be taken in any time as long as a window. */
  readonly limit: number
  readonly window: Duration.Duration
  readonly tokens?: number
}

/** What became of tokens that were asked for. */
export interface Taken {
  /** Whether they were taken; the limit is reached where they were not. */
  readonly isTaken: boolean
  readonly remaining: number
  /** Milliseconds until the window ends, or until the tokens could be taken. */
  readonly millis: number
}

/** Counts what is taken over all processes. A function and no effect: it only counts in memory, for each request. */
export class RateLimits extends Context.Service<RateLimits, { readonly take: (request: TokenRequest) => Taken }>()(
  "social-publisher/repo/RateLimits"
) {}

/**
 * Counts tokens in windows that begin at multiples of their length, which are the same in every process, and adds the share
 * of the window before that lies within one length of now (a sliding window counter). So the limit holds for any time as
 * long as a window, as far as two counts tell: the tokens of the window before count as spread evenly over it.
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
     * For each key that was used since its counts were shared, or whose counts could not be: one in its current window, also where it is 0, and one in the
     * window before until that is final. Sharing it returns the others' counts. Drops what no longer counts.
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
