export interface Environment {
  /** In milliseconds since 1970. */
  readonly now: () => number
  /** From 0 up to 1. */
  readonly random: () => number
  /** Rejects with the signal's reason if it aborts first. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

export const realEnvironment: Environment = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop)
        resolve()
      }, milliseconds)
      const stop = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      signal?.addEventListener("abort", stop, { once: true })
    })
}
