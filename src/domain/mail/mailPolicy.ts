import { DateTime, Duration } from "effect"

/** A new delivery waits this long for others of its kind. */
export const gatherFor = Duration.seconds(5)

/** The shortest time between two messages of a type to a person. */
export const spacing = Duration.minutes(5)

/** A message lists this many notifications, and counts the others. */
export const maxListed = 20

/** Older notifications are not mailed: people have seen them, or mail was off. */
export const mailedWithin = Duration.hours(24)

/** The log of deliveries goes back this far. */
export const mailRetention = Duration.days(30)

const delays = [
  Duration.minutes(1),
  Duration.minutes(5),
  Duration.minutes(30),
  Duration.hours(2),
  Duration.hours(6)
] as const

export type MailResult =
  | { readonly _tag: "Sent" }
  /** Nobody needs it any more. */
  | { readonly _tag: "Dropped"; readonly reason: string }
  | {
      readonly _tag: "Failed"
      readonly reason: string
      /** True if the server said that another attempt would fail too. */
      readonly isFinal: boolean
      /** The server asked for this pause. */
      readonly retryAfter?: Duration.Duration
    }

export type DeliveryEnd =
  | { readonly status: "sent" | "dropped" | "failed"; readonly nextAt: null; readonly error: string | null }
  | { readonly status: "pending"; readonly nextAt: DateTime.Utc; readonly error: string }

/** Also if the server asks for more. */
const longestDelay = Duration.hours(6)

/** The pause that a server asked for. */
export const pauseFor = (retryAfter: Duration.Duration | undefined): Duration.Duration =>
  retryAfter === undefined ? Duration.zero : Duration.min(retryAfter, longestDelay)

/** `attempts` includes the one that ended at `now`. */
export const settleMail = (attempts: number, result: MailResult, now: DateTime.Utc): DeliveryEnd => {
  switch (result._tag) {
    case "Sent":
      return { status: "sent", nextAt: null, error: null }
    case "Dropped":
      return { status: "dropped", nextAt: null, error: result.reason }
    case "Failed": {
      const delay = result.isFinal ? undefined : delays[attempts - 1]
      return delay === undefined
        ? { status: "failed", nextAt: null, error: result.reason }
        : {
            status: "pending",
            nextAt: DateTime.addDuration(now, Duration.max(delay, pauseFor(result.retryAfter))),
            error: result.reason
          }
    }
  }
}
