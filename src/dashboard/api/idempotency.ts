import { newIdempotencyKey } from "./client.ts"
import type { Failure, Outcome } from "./errors.ts"

/** After these statuses, an earlier request with the same key may still have taken effect. */
const openStatuses: ReadonlySet<number> = new Set([401, 408, 425, 429])

/** True if a failure is final, so that a further request needs another key. */
export const isSettled = (error: Failure): boolean =>
  error._tag === "ApiError" &&
  error.status < 500 &&
  !openStatuses.has(error.status) &&
  error.code !== "idempotency_in_flight"

/** Keys of requests whose outcome is not known yet, by content. */
const keys = new Map<string, string>()

/** Runs a request that creates or publishes. Repetitions send the same key until the outcome is known. */
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
