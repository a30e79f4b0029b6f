import { useRef } from "preact/hooks"
import { newIdempotencyKey } from "./client.ts"
import type { Failure, Outcome } from "./errors.ts"

/** Statuses that leave open whether the request is carried out: the same one is still running, or something gave up on it. */
const openStatuses: ReadonlySet<number> = new Set([401, 408, 425, 429])

/** Whether a failure is the service's last word on a request, after which another one needs another key. */
export const isSettled = (error: Failure): boolean =>
  error._tag === "ApiError" &&
  error.status < 500 &&
  !openStatuses.has(error.status) &&
  error.code !== "idempotency_in_flight"

/**
 * Runs what creates or publishes with the same key while the same request is tried again without having got an answer, so that it
 * is carried out once.
 */
export const useIntent = () => {
  const intent = useRef<{ readonly of: string; readonly key: string } | undefined>(undefined)
  return async <Body, A>(
    body: Body,
    run: (body: Body, idempotencyKey: string) => Promise<Outcome<A>>
  ): Promise<Outcome<A>> => {
    const of = JSON.stringify(body)
    const key = intent.current?.of === of ? intent.current.key : newIdempotencyKey()
    intent.current = { of, key }
    const outcome = await run(body, key)
    if (outcome.ok || isSettled(outcome.error)) intent.current = undefined
    return outcome
  }
}
