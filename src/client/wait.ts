import type { Environment } from "./environment.ts"
import { WaitError } from "./errors.ts"
import { checkCall } from "./options.ts"

export interface WaitOptions {
  /** How long to wait altogether, in milliseconds; five minutes by default. */
  readonly timeoutMillis?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** The first and the longest pause between two requests, in milliseconds. */
const [first, longest] = [500, 5000]

/** Reads again until what is read is as it should be. */
export const poll = async <A>(
  read: (signal: AbortSignal | undefined) => Promise<A>,
  isDone: (value: A) => boolean,
  { now, sleep }: Environment,
  { signal, timeoutMillis = 300_000 }: WaitOptions
): Promise<A> => {
  checkCall({ timeoutMillis })
  const end = now() + timeoutMillis
  for (let pause = first; ; pause = Math.min(longest, pause * 1.5)) {
    const value = await read(signal)
    if (isDone(value)) return value
    const left = end - now()
    if (left <= 0) throw new WaitError(`Waited ${timeoutMillis} ms in vain`, { reason: "timeout", last: value })
    await sleep(Math.min(pause, left), signal)
  }
}
