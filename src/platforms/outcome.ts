import { DateTime, Duration, Effect, Option } from "effect"
import type { Headers } from "effect/http"
import {
  OutcomeUnknown,
  type PlatformError,
  RateLimited,
  Rejected,
  Unavailable
} from "../domain/publishing/platformError.ts"
import type { NoResponse, PlatformResponse } from "./call.ts"

/** The error if a request that publishes a post got no response. */
export const unansweredPost = ({ maybeSent, message }: NoResponse): OutcomeUnknown | Unavailable =>
  maybeSent ? new OutcomeUnknown({ message }) : new Unavailable({ message })

/** The error if any other request got no response. Such a request can be retried. */
export const unanswered = ({ message }: NoResponse) => new Unavailable({ message })

export const orUnavailable = Effect.mapError(unanswered)

/**
 * A response that is not in the platform's own format says nothing about the post: its sender may have passed the post
 * on. A partial body proves nothing either.
 */
export const foreignAnswer = (platform: string, { body, status }: PlatformResponse): OutcomeUnknown =>
  new OutcomeUnknown({
    message:
      body === null
        ? `The answer ${status} of ${platform} was cut off, so ${platform} has not said whether it accepted the post`
        : `Something between this service and ${platform} answered ${status}; ${platform} itself has not said whether it accepted the post`
  })

interface RefusedPost {
  readonly platform: string
  readonly response: PlatformResponse
  readonly detail: string
  readonly special: PlatformError | undefined
}

/** Reads a platform's own answer that is neither a success nor a 429. */
export const refusedPost = ({ detail, platform, response, special }: RefusedPost): PlatformError => {
  const { status } = response
  const explanation = detail === "" ? "" : `: ${detail}`
  if (status < 400 || status >= 500 || status === 408 || status === 499) {
    return new OutcomeUnknown({ message: `${platform} answered ${status}${explanation}` })
  }
  return special ?? new Rejected({ message: `${platform} refused this post${explanation}` })
}

export const failAt = <E>(errorAt: (now: DateTime.Utc) => E): Effect.Effect<never, E> =>
  Effect.flatMap(DateTime.now, (now) => Effect.fail(errorAt(now)))

/** No platform's limit lasts longer, so a later reset is a mistake. */
const maxRateLimit = Duration.hours(24)

export const numberIn = (headers: Headers.Headers, name: string): number | undefined => {
  const value = headers[name]
  return value !== undefined && /^\d{1,12}$/.test(value) ? Number(value) : undefined
}

/** A larger difference between the clocks is the platform's mistake. */
const maxSkew = Duration.hours(24)

/** The time of an answer, by the platform's clock. */
export const answeredAt = (headers: Headers.Headers): Option.Option<DateTime.Utc> =>
  Option.flatMap(Option.fromUndefinedOr(headers["date"]), DateTime.make)

/** This process's clock minus the platform's, by a response's Date. */
export const aheadOf = (headers: Headers.Headers, now: DateTime.Utc): Duration.Duration =>
  answeredAt(headers).pipe(
    Option.map((date) => DateTime.distance(date, now)),
    Option.filter((ahead) => Duration.isLessThan(Duration.abs(ahead), maxSkew)),
    Option.getOrElse(() => Duration.zero)
  )

/** Converts Unix seconds of the platform's clock to this process's clock. */
export const timeIn = (headers: Headers.Headers, name: string, now: DateTime.Utc): Option.Option<DateTime.Utc> =>
  Option.fromUndefinedOr(numberIn(headers, name)).pipe(
    Option.flatMap((seconds) => DateTime.make(seconds * 1000)),
    Option.map((time) => DateTime.addDuration(time, aheadOf(headers, now)))
  )

interface Limited {
  readonly platform: string
  readonly response: PlatformResponse
  /** The headers have Unix seconds by the platform's clock. */
  readonly resetHeaders: ReadonlyArray<string>
  /** The limit's duration if no header has its end. */
  readonly defaultWait: Duration.Duration
  readonly detail?: string | null
}

/** The latest of Retry-After and the reset headers. */
export const limitedUntil = (
  { defaultWait, detail = null, platform, resetHeaders, response: { headers } }: Limited,
  now: DateTime.Utc
): RateLimited => {
  const retryAfter = numberIn(headers, "retry-after")
  const ends = [
    ...resetHeaders.map((name) => timeIn(headers, name, now)),
    retryAfter === undefined ? Option.none() : Option.some(DateTime.addDuration(now, Duration.seconds(retryAfter)))
  ].flatMap(Option.toArray)
  const end = ends.length === 0 ? DateTime.addDuration(now, defaultWait) : ends.reduce(DateTime.max)
  const until = DateTime.clamp(end, { minimum: now, maximum: DateTime.addDuration(now, maxRateLimit) })
  const message = `${platform} accepts no more requests from this account for now${detail === null ? "" : `: ${detail}`}`
  return new RateLimited({ message, until })
}
