import { Clock, Duration, Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { clientNetwork } from "./clientNetwork.ts"

interface Window {
  readonly endsAt: number
  failures: number
}

const windowMillis = Duration.toMillis(Duration.minutes(1))

/** Bounds the memory; beyond it the window that began first is dropped. */
const maxAddresses = 10_000

const clientAddress = (request: HttpServerRequest.HttpServerRequest): string =>
  Option.match(request.remoteAddress, { onNone: () => "unknown", onSome: clientNetwork })

/**
 * Counts failed authentication attempts per client address in fixed windows of a minute, within this process. They can't
 * be counted per workspace: a wrong key or password names none, and must not use up anybody else's limit.
 */
export const makeAddressLimit = ({ perMinute }: { readonly perMinute: number }) => {
  const windows = new Map<string, Window>()

  const currentWindow = (address: string, now: number): Window | undefined => {
    const window = windows.get(address)
    return window === undefined || window.endsAt <= now ? undefined : window
  }

  const open = (address: string, window: Window): Window => {
    windows.delete(address)
    windows.set(address, window)
    if (windows.size > maxAddresses) {
      for (const [oldest] of windows) {
        windows.delete(oldest)
        break
      }
    }
    return window
  }

  const add = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Window> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const address = clientAddress(request)
      const window = currentWindow(address, now) ?? open(address, { endsAt: now + windowMillis, failures: 0 })
      window.failures += 1
      return window
    })

  return {
    /** How long a throttled address has to wait. */
    wait: (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Option.Option<Duration.Duration>> =>
      // Runs on every request, most of the time with nothing counted: skips parsing the address then.
      Effect.suspend(() =>
        windows.size === 0
          ? Effect.succeedNone
          : Effect.map(Clock.currentTimeMillis, (now) => {
              const window = currentWindow(clientAddress(request), now)
              return window === undefined || window.failures < perMinute
                ? Option.none()
                : Option.some(Duration.millis(window.endsAt - now))
            })
      ),
    /** Counts a failed attempt. */
    count: (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> => Effect.asVoid(add(request)),
    /** Counts an attempt before it is known to have failed. Returns how to take it back if it did not. */
    reserve: (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Effect.Effect<void>> =>
      Effect.map(add(request), (window) =>
        Effect.sync(() => {
          window.failures -= 1
        })
      )
  }
}
