import { useRef } from "preact/hooks"
import { newIdempotencyKey } from "./client.ts"
import type { Outcome } from "./errors.ts"

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
    if (outcome.ok || outcome.error._tag === "ApiError") intent.current = undefined
    return outcome
  }
}
