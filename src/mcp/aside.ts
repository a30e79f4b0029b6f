import { Effect } from "effect"
import type { Call } from "./tool.ts"

/**
 * Asks the API for more than a call is for: it neither fails, nor stands for the call in the log or in what a result says of its
 * request.
 */
export const aside = Effect.fnUntraced(function* <A, E>(
  { agent }: Pick<Call, "agent">,
  question: Effect.Effect<A, E>,
  otherwise: () => A
) {
  const { outcome } = agent
  const answer = yield* Effect.orElseSucceed(question, otherwise)
  agent.outcome = outcome
  return answer
})
