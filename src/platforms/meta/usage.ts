import { Clock, DateTime, Duration, Effect, Option, Schema } from "effect"
import { RateLimited } from "../../domain/publishing/platformError.ts"
import type { PlatformResponse } from "../call.ts"
import { jsonReader } from "../json.ts"

/** Percent of what Meta allows. */
const Usage = Schema.Struct({
  call_count: Schema.optionalKey(Schema.Finite),
  total_cputime: Schema.optionalKey(Schema.Finite),
  total_time: Schema.optionalKey(Schema.Finite),
  /** In minutes. */
  estimated_time_to_regain_access: Schema.optionalKey(Schema.Finite)
})

const readUsage = jsonReader(Usage)
const readUsages = jsonReader(Schema.Record(Schema.String, Schema.Array(Usage)))

/** From this percentage on, Meta asks applications to slow down. Calls over the limit make it last longer. */
const threshold = 90

/** The pause if Meta does not say how long a limit lasts. */
const usualPause = Duration.minutes(5)

const longestPause = Duration.hours(24)

/** The percentage that is used, and the minutes until access is regained. */
const read = ({ headers }: Pick<PlatformResponse, "headers">, scope: "application" | "account") => {
  const { "x-app-usage": ofApplication = "", "x-page-usage": ofPage = "" } = headers
  const { "x-business-use-case-usage": ofBusiness = "" } = headers
  const found =
    scope === "application"
      ? Option.toArray(readUsage(ofApplication))
      : [
          ...Option.toArray(readUsage(ofPage)),
          ...Object.values(Option.getOrElse(readUsages(ofBusiness), () => ({}))).flat()
        ]
  if (found.length === 0) return undefined
  const percent = found.flatMap(({ call_count = 0, total_cputime = 0, total_time = 0 }) => [
    call_count,
    total_cputime,
    total_time
  ])
  const minutes = Math.max(
    0,
    ...found.map(({ estimated_time_to_regain_access = 0 }) => estimated_time_to_regain_access)
  )
  const pause = minutes > 0 ? Duration.min(Duration.minutes(minutes), longestPause) : usualPause
  return { isHigh: minutes > 0 || Math.max(...percent) >= threshold, pause }
}

/** Bounds memory: beyond this, the account with the oldest response is forgotten. */
const maxKept = 10_000

/**
 * The usage that Meta's last responses stated, of the application and of each account, in this process. While one of
 * them is high, nothing new is begun for the account.
 */
export const makeUsage = Effect.map(Clock.Clock, (clock) => {
  /** Milliseconds since 1970 until which nothing is begun. The key of the application is empty. */
  const held = new Map<string, number>()

  return {
    note: ({ accountId }: { readonly accountId: string }, response: Pick<PlatformResponse, "headers">) => {
      for (const [key, scope] of [
        ["", "application"],
        [accountId, "account"]
      ] as const) {
        const usage = read(response, scope)
        if (usage === undefined) continue
        held.delete(key)
        if (!usage.isHigh) continue
        held.set(key, clock.currentTimeMillisUnsafe() + Duration.toMillis(usage.pause))
        const [oldest] = held.keys()
        if (held.size > maxKept && oldest !== undefined) held.delete(oldest)
      }
    },
    /** Fails while the account or the application has used almost everything that Meta allows. */
    check: (platform: string, { accountId }: { readonly accountId: string }): Effect.Effect<void, RateLimited> =>
      Effect.suspend(() => {
        const until = Math.max(held.get("") ?? 0, held.get(accountId) ?? 0)
        return until <= clock.currentTimeMillisUnsafe()
          ? Effect.void
          : new RateLimited({
              message: `${platform} says that ${threshold}% of the calls that it allows are used, so the service waits`,
              until: DateTime.makeUnsafe(until)
            })
      })
  }
})
export type Usage = Effect.Success<typeof makeUsage>
