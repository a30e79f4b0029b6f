import { DateTime, Duration, Effect, Option } from "effect"
import type { Headers } from "effect/http"

/** No limit of either platform lasts longer, so a later time is a mistake. */
const longest = Duration.hours(24)

const seconds = (headers: Headers.Headers, name: string): number | undefined => {
  const value = headers[name]
  return value !== undefined && /^\d{1,12}$/.test(value) ? Number(value) : undefined
}

/** When a rate limit ends by the platform's headers: `resets` name times in Unix seconds. `otherwise` where there are none. */
export const resumeAt = Effect.fnUntraced(function* (
  headers: Headers.Headers,
  resets: ReadonlyArray<string>,
  otherwise: Duration.Duration
) {
  const now = yield* DateTime.now
  const after = seconds(headers, "retry-after")
  const times = resets.map((name) => seconds(headers, name)).filter((time) => time !== undefined)
  const told = [
    ...times.map((time) => DateTime.make(time * 1000)),
    after === undefined ? Option.none() : Option.some(DateTime.addDuration(now, Duration.seconds(after)))
  ].flatMap(Option.toArray)
  const until = told.length === 0 ? DateTime.addDuration(now, otherwise) : told.reduce(DateTime.max)
  return DateTime.clamp(until, { minimum: now, maximum: DateTime.addDuration(now, longest) })
})
