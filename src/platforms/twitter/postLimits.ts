import { Clock, DateTime, Duration, Effect, Option } from "effect"
import { counted } from "../../domain/counted.ts"
import type { PostLimit } from "../../domain/publishing/threadStart.ts"
import type { PlatformResponse } from "../call.ts"
import { numberIn, timeIn } from "../outcome.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import { limitWindow } from "./problem.ts"

/** The limits that X's headers name, each with its period and with whose posts it counts. */
const limits = [
  { name: "x-rate-limit", period: limitWindow, by: "account" },
  { name: "x-user-limit-24hour", period: Duration.hours(24), by: "account" },
  { name: "x-app-limit-24hour", period: Duration.hours(24), by: "application" }
] as const

/** A period by X's clock and by this process's may differ by so much; a later end is a mistake. */
const slack = Duration.minutes(1)

/** Bounds the memory; beyond it the account is forgotten that was heard of longest ago. */
const maxKept = 10_000

type OfAccount = Pick<AccountAccess, "accountId">

/** What X said last of how many posts it still takes, by what this process heard. */
export interface PostLimits {
  /** Reads the headers of a response to a post. What X does not say stays as it was said before. */
  readonly note: (account: OfAccount, response: Pick<PlatformResponse, "headers">) => void
  /** The limits of an account that have not been reset. */
  readonly of: (account: OfAccount) => ReadonlyArray<PostLimit>
}

const keyOf = ({ by, name }: (typeof limits)[number], { accountId }: OfAccount) =>
  by === "account" ? `${name} ${accountId}` : name

export const makePostLimits: Effect.Effect<PostLimits> = Effect.map(Clock.Clock, (clock) => {
  const kept = new Map<string, Omit<PostLimit, "message">>()

  const keep = (key: string, limit: Omit<PostLimit, "message">) => {
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
        const reset = Option.getOrUndefined(timeIn(headers, `${name}-reset`, now))
        if (remaining === undefined || reset === undefined) continue
        keep(keyOf(each, account), {
          remaining,
          limit: numberIn(headers, `${name}-limit`) ?? null,
          until: DateTime.min(reset, DateTime.addDuration(now, Duration.sum(period, slack)))
        })
      }
    },
    of: (account) => {
      const now = currentTime()
      return limits.flatMap((each) => {
        const limit = kept.get(keyOf(each, account))
        if (limit === undefined || !DateTime.isGreaterThan(limit.until, now)) return []
        const posts = limit.remaining === 0 ? "no more posts" : `only ${counted(limit.remaining, "more post")}`
        return [{ ...limit, message: `X takes ${posts} from this ${each.by} for now` }]
      })
    }
  }
})
