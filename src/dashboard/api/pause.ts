import { makeStore } from "../store/makeStore.ts"
import { type ApiError, describeWait } from "./errors.ts"

/** Until when the service takes no requests of this person, by the browser's clock in milliseconds; null while it does. */
export const pausedUntil = makeStore<number | null>(null)

/** How long to wait where the service does not say, in seconds: the window of its limit. */
const defaultWait = 60

/** How long is left, in whole seconds. */
const secondsUntil = (time: number): number => Math.max(1, Math.ceil((time - Date.now()) / 1000))

let timer: ReturnType<typeof setTimeout> | undefined

export const resume = () => {
  clearTimeout(timer)
  pausedUntil.set(null)
}

/** All requests wait together. */
const pauseFor = (seconds: number) => {
  const until = Date.now() + seconds * 1000
  if (until <= (pausedUntil.get() ?? 0)) return
  clearTimeout(timer)
  timer = setTimeout(resume, seconds * 1000)
  pausedUntil.set(until)
}

/** Whether a limit is used up: the last one is the person's own. What else is refused with 429 has limits of its own. */
const isUsedUp = (response: Response): boolean => /;r=0;t=\d+$/.test(response.headers.get("ratelimit") ?? "")

/** Waits from now on if the response says that this person has sent too many requests. Returns whether it does. */
export const pauseIfAsked = (response: Response, { retryAfter }: ApiError): boolean => {
  if (response.status !== 429 || !isUsedUp(response)) return false
  pauseFor(Math.max(1, retryAfter ?? defaultWait))
  return true
}

/** Resolves once the service takes requests again, or the request is given up. */
export const untilResumed = (signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (pausedUntil.get() === null || signal?.aborted === true) {
      resolve()
      return
    }
    const stop = pausedUntil.subscribe(() => {
      if (pausedUntil.get() !== null) return
      stop()
      resolve()
    })
    signal?.addEventListener("abort", () => {
      stop()
      resolve()
    })
  })

/** What a change is told that is not sent, or was refused, while requests wait; undefined while they do not. */
export const readPause = (): ApiError | undefined => {
  const until = pausedUntil.get()
  if (until === null) return undefined
  return {
    _tag: "ApiError",
    status: 429,
    code: "rate_limited",
    detail: `Nothing was changed: you have sent too many requests. Try again in ${describeWait(secondsUntil(until))}`,
    errors: [],
    retryAfter: secondsUntil(until),
    requestId: null,
    problem: {}
  }
}
