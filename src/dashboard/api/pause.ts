import { makeStore } from "../store/makeStore.ts"
import { type ApiError, describeWait } from "./errors.ts"

/** Milliseconds by the browser's clock; null without a pause. */
export const pausedUntil = makeStore<number | null>(null)

/** Seconds, equal to the window of the service's limit. */
const defaultWait = 60

const secondsUntil = (time: number): number => Math.max(1, Math.ceil((time - Date.now()) / 1000))

let timer: ReturnType<typeof setTimeout> | undefined

export const resume = () => {
  clearTimeout(timer)
  pausedUntil.set(null)
}

const pauseFor = (seconds: number) => {
  const until = Date.now() + seconds * 1000
  if (until <= (pausedUntil.get() ?? 0)) return
  clearTimeout(timer)
  timer = setTimeout(resume, seconds * 1000)
  pausedUntil.set(until)
}

/** True if the person's own limit, the last one in the `RateLimit` header, is used up. Other limits cause no pause. */
const isUsedUp = (response: Response): boolean => /;r=0;t=\d+$/.test(response.headers.get("ratelimit") ?? "")

/** Begins a pause, and returns true, if the person has sent too many requests. */
export const pauseIfAsked = (response: Response, { retryAfter }: ApiError): boolean => {
  if (response.status !== 429 || !isUsedUp(response)) return false
  pauseFor(Math.max(1, retryAfter ?? defaultWait))
  return true
}

/** Also resolves when the request is aborted. */
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

/** Changes are not sent during a pause, and fail with this error. */
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
