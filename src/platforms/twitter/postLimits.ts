import { Clock, DateTime, Duration, Effect, Option } from "effect"
import { counted } from "../../domain/counted.ts"
import type { PostLimit } from "../../domain/publishing/threadStart.ts"
import { numberIn, timeIn } from "../outcome.ts"
import type { AccountAccess, PostLimits } from "../PlatformClient.ts"
import { limitWindow } from "./problem.ts"

const limits = [
  { name: "x-rate-limit", period: limitWindow, by: "account" },
  { name: "x-user-limit-24hour", period: Duration.hours(24), by: "account" },
  { name: "x-app-limit-24hour", period: Duration.hours(24), by: "application" }
] as const

/** The clocks may differ this much. A later reset is a mistake. */
const slack = Duration.minutes(1)

/** Bounds memory: beyond this, the account with the oldest response is forgotten. */
const maxKept = 10_000

const keyOf = ({ by, name }: (typeof limits)[number], { accountId }: Pick<AccountAccess, "accountId">) =>
  by === "account" ? `${name} ${accountId}` : name

/** `period` is the reset as X sent it, which identifies the period whatever this process's clock says. */
type Kept = Omit<PostLimit, "message"> & { readonly period: number | undefined }

export const makePostLimits: Effect.Effect<PostLimits> = Effect.map(Clock.Clock, (clock) => {
  const kept = new Map<string, Kept>()

  const keep = (key: string, limit: Kept) => {
    kept.delete(key)
    kept.set(key, limit)
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
  }

  const currentTime = () => DateTime.makeUnsafe(clock.currentTimeMillisUnsafe())

  return {
    note: (account, { headers }) => {
      const now = currentTime()
      for (const each of limits) {
        const { name, period } = each
        const remaining = numberIn(headers, `${name}-remaining`)
        const reset = remaining === undefined ? undefined : Option.getOrUndefined(timeIn(headers, `${name}-reset`, now))
        if (remaining === undefined || reset === undefined) continue
        const key = keyOf(each, account)
        const before = kept.get(key)
        const ofPeriod = numberIn(headers, `${name}-reset`)
        keep(key, {
          // Within a period, `remaining` only falls, and concurrent responses arrive in any order.
          remaining: before?.period === ofPeriod ? Math.min(before?.remaining ?? remaining, remaining) : remaining,
          period: ofPeriod,
          limit: numberIn(headers, `${name}-limit`) ?? null,
          until: DateTime.min(reset, DateTime.addDuration(now, Duration.sum(period, slack)))
        })
      }
    },
    of: (account) => {
      const now = currentTime()
      return limits.flatMap((each) => {
        const known = kept.get(keyOf(each, account))
        if (known === undefined || !DateTime.isGreaterThan(known.until, now)) return []
        const { limit, remaining, until } = known
        const posts = remaining === 0 ? "no more posts" : `only ${counted(remaining, "more post")}`
        return [{ remaining, limit, until, message: `X accepts ${posts} from this ${each.by} for now` }]
      })
    }
  }
})
