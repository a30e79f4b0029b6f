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

  const open = (address: string, window: Window) => {
    windows.delete(address)
    windows.set(address, window)
    if (windows.size <= maxAddresses) return
    for (const [oldest] of windows) {
      windows.delete(oldest)
      break
    }
  }

  return {
    /** How long a throttled address has to wait. */
    wait: (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Option.Option<Duration.Duration>> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        // Runs on every request, most of the time with nothing counted: skips parsing the address then.
        const window = windows.size === 0 ? undefined : currentWindow(clientAddress(request), now)
        return window === undefined || window.failures < perMinute
          ? Option.none()
          : Option.some(Duration.millis(window.endsAt - now))
      }),
    /** Counts a failed attempt. */
    count: (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const address = clientAddress(request)
        const window = currentWindow(address, now)
        if (window === undefined) open(address, { endsAt: now + windowMillis, failures: 1 })
        else window.failures += 1
      }),
    /** Takes back an attempt that was counted before it turned out not to have failed. */
    refund: (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const window = currentWindow(clientAddress(request), now)
        if (window !== undefined) window.failures -= 1
      })
  }
}
