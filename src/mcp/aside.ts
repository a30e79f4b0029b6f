import { Effect } from "effect"
import type { Post } from "../domain/posts/post.ts"
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

/** A post as it is now, or as it was if it can't be read. */
export const readAgain = (call: Call, before: Post) =>
  aside(
    call,
    Effect.map(call.contract.posts.get({ params: { id: before.id } }), ({ body }) => body.data),
    () => before
  )
