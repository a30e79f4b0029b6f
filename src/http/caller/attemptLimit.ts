import { Clock, Duration, Effect, Option } from "effect"

interface Window {
  readonly endsAt: number
  failures: number
}

const windowMillis = Duration.toMillis(Duration.minutes(1))

/** Bounds the memory; beyond it the window that began first is dropped. */
const maxWindows = 10_000

/** Counts failed attempts by whoever makes them, in fixed windows of a minute, within this process. */
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

  return {
    /** How long whoever is throttled has to wait. */
    wait: (who: () => string): Effect.Effect<Option.Option<Duration.Duration>> =>
      // Runs on every request, most of the time with nothing counted: skips finding out who it is then.
      Effect.suspend(() =>
        windows.size === 0
          ? Effect.succeedNone
          : Effect.map(Clock.currentTimeMillis, (now) => {
              const window = currentWindow(who(), now)
              return window === undefined || window.failures < perMinute
                ? Option.none()
                : Option.some(Duration.millis(window.endsAt - now))
            })
      ),
    /** Counts a failed attempt. */
    count: (who: string): Effect.Effect<void> => Effect.asVoid(add(who)),
    /** Counts an attempt before it is known to have failed. Returns how to take it back if it did not. */
    reserve: (who: string): Effect.Effect<Effect.Effect<void>> =>
      Effect.map(add(who), (window) =>
        Effect.sync(() => {
          window.failures -= 1
        })
      )
  }
}
