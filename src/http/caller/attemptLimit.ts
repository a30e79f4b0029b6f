import { Clock, Duration, Effect, Exit, Option, Predicate } from "effect"
import { TooManyAttempts } from "../../domain/errors.ts"

interface Window {
  readonly endsAt: number
  failures: number
}

const windowMillis = Duration.toMillis(Duration.minutes(1))

/** If there are more windows, the oldest is dropped, to bound memory. */
const maxWindows = 10_000

export interface Limited<A, E, B, E2, R2> {
  readonly isFailure: (exit: Exit.Exit<A, E>) => boolean
  readonly refuse: (wait: Duration.Duration) => Effect.Effect<B, E2, R2>
}

/** Counts failures with this tag. Beyond the limit, attempts fail with TooManyAttempts. */
export const failuresWith = (tag: string, message: string) => ({
  isFailure: (exit: Exit.Exit<unknown, unknown>): boolean =>
    Option.exists(Exit.findErrorOption(exit), Predicate.isTagged(tag)),
  refuse: (wait: Duration.Duration) => Effect.fail(new TooManyAttempts({ message, wait }))
})

/** Limits failed attempts per minute, in fixed windows. Each process counts its own. */
export const makeAttemptLimit = ({ perMinute }: { readonly perMinute: number }) => {
  const windows = new Map<string, Window>()

  const currentWindow = (who: string, now: number): Window | undefined => {
    const window = windows.get(who)
    return window === undefined || window.endsAt <= now ? undefined : window
  }

  const open = (who: string, window: Window): Window => {
    windows.delete(who)
    windows.set(who, window)
    if (windows.size > maxWindows) {
      for (const [oldest] of windows) {
        windows.delete(oldest)
        break
      }
    }
    return window
  }

  const add = (who: string): Effect.Effect<Window> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const window = currentWindow(who, now) ?? open(who, { endsAt: now + windowMillis, failures: 0 })
      window.failures += 1
      return window
    })

  const wait = (who: () => string): Effect.Effect<Option.Option<Duration.Duration>> =>
    // Runs on every request. Usually no failures are counted, so it need not identify the client.
    Effect.suspend(() =>
      windows.size === 0
        ? Effect.succeedNone
        : Effect.map(Clock.currentTimeMillis, (now) => {
            const window = currentWindow(who(), now)
            return window === undefined || window.failures < perMinute
              ? Option.none()
              : Option.some(Duration.millis(window.endsAt - now))
          })
    )

  return {
    wait,
    count: (who: string): Effect.Effect<void> => Effect.asVoid(add(who)),
    /**
     * Runs an attempt, unless too many have failed. Many attempts may arrive together, so each counts as a failure
     * before it runs, and no longer if it does not fail. An attempt whose client leaves, or that meets an outage, has
     * not failed.
     */
    run: <A, E, R, B, E2, R2>(
      who: string,
      attempt: Effect.Effect<A, E, R>,
      { isFailure, refuse }: Limited<A, E, B, E2, R2>
    ): Effect.Effect<A | B, E | E2, R | R2> =>
      Effect.flatMap(
        wait(() => who),
        (throttled): Effect.Effect<A | B, E | E2, R | R2> =>
          Option.isSome(throttled)
            ? refuse(throttled.value)
            : Effect.acquireUseRelease(
                add(who),
                () => attempt,
                (window, exit) =>
                  Effect.sync(() => {
                    if (!isFailure(exit)) window.failures -= 1
                  })
              )
      )
  }
}
