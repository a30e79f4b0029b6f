import { Clock, Duration, Effect, Option } from "effect"

interface Window {
  readonly endsAt: number
  failures: number
}

const windowMillis = Duration.toMillis(Duration.minutes(1))

/** Bounds the memory; beyond it the window that began first is dropped. */
const maxNames = 10_000

/**
 * Counts failed attempts per name in fixed windows of a minute, within this process. A name is given as a function, which is
 * called only where it is needed.
 */
export const makeAttemptLimit = ({ perMinute }: { readonly perMinute: number }) => {
  const windows = new Map<string, Window>()

  const currentWindow = (name: string, now: number): Window | undefined => {
    const window = windows.get(name)
    return window === undefined || window.endsAt <= now ? undefined : window
  }

  const open = (name: string, window: Window): Window => {
    windows.delete(name)
    windows.set(name, window)
    if (windows.size > maxNames) {
      for (const [oldest] of windows) {
        windows.delete(oldest)
        break
      }
    }
    return window
  }

  const add = (nameOf: () => string): Effect.Effect<Window> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const name = nameOf()
      const window = currentWindow(name, now) ?? open(name, { endsAt: now + windowMillis, failures: 0 })
      window.failures += 1
      return window
    })

  return {
    /** How long a throttled name has to wait. */
    wait: (nameOf: () => string): Effect.Effect<Option.Option<Duration.Duration>> =>
      // Runs on every request, most of the time with nothing counted.
      Effect.suspend(() =>
        windows.size === 0
          ? Effect.succeedNone
          : Effect.map(Clock.currentTimeMillis, (now) => {
              const window = currentWindow(nameOf(), now)
              return window === undefined || window.failures < perMinute
                ? Option.none()
                : Option.some(Duration.millis(window.endsAt - now))
            })
      ),
    /** Counts a failed attempt. */
    count: (nameOf: () => string): Effect.Effect<void> => Effect.asVoid(add(nameOf)),
    /** Counts an attempt before it is known to have failed. Returns how to take it back if it did not. */
    reserve: (nameOf: () => string): Effect.Effect<Effect.Effect<void>> =>
      Effect.map(add(nameOf), (window) =>
        Effect.sync(() => {
          window.failures -= 1
        })
      )
  }
}
