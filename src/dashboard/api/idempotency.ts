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

/** The keys of requests whose outcome is open, by what they send. */
const keys = new Map<string, string>()

/**
 * Runs a request that creates or publishes something. A repetition of the same request has the same key until the service has
 * answered, so that it is carried out once.
 */
export const withIntent = async <A>(
  of: ReadonlyArray<unknown>,
  run: (idempotencyKey: string) => Promise<Outcome<A>>
): Promise<Outcome<A>> => {
  const name = JSON.stringify(of)
  const key = keys.get(name) ?? newIdempotencyKey()
  keys.set(name, key)
  const outcome = await run(key)
  if (outcome.ok || isSettled(outcome.error)) keys.delete(name)
  return outcome
}
