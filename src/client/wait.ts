import type { Environment } from "./environment.ts"
import { WaitError } from "./errors.ts"
import { checkCall } from "./options.ts"
import { withTimeout } from "./timeout.ts"

export interface WaitOptions {
  /** The limit of the whole wait; five minutes by default. */
  readonly timeoutMillis?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** The first and the longest pause between two reads, in milliseconds. */
const [first, longest] = [500, 5000]

/** The last read begins this many milliseconds before the time limit. */
const forLast = 250

/** A read that is in flight at the time limit is aborted. */
export const poll = async <A>(
  read: (signal: AbortSignal) => Promise<A>,
  isDone: (value: A) => boolean,
  { now, sleep }: Environment,
  { signal, timeoutMillis = 300_000 }: WaitOptions
): Promise<A> => {
  checkCall({ timeoutMillis })
  const end = now() + timeoutMillis
  let last: A | undefined
  const late = () => new WaitError(`Waited ${timeoutMillis} ms in vain`, { reason: "timeout", last })
  for (let pause = first, left = timeoutMillis; left > 0; pause = Math.min(longest, pause * 1.5)) {
    last = await withTimeout(left, signal, (ending) =>
      read(ending).catch((error: unknown) => {
        signal?.throwIfAborted()
        throw ending.aborted ? late() : error
      })
    )
    if (isDone(last)) return last
    left = end - now()
    await sleep(left <= forLast ? Math.max(0, left) : Math.min(pause, left - forLast), signal)
    left = end - now()
  }
  throw late()
}
