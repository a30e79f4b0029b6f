import { Effect } from "effect"
import type { Post } from "../domain/posts/post.ts"
import type { Call } from "./tool.ts"

/**
 * Sends an additional API request. If it fails, the tool call does not. The call's result and log line ignore its
 * response.
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

export const readAgain = (call: Call, before: Post) =>
  aside(
    call,
    Effect.map(call.contract.posts.get({ params: { id: before.id } }), ({ body }) => body.data),
    () => before
  )
