import { Effect } from "effect"
import type { Post } from "../domain/posts/post.ts"
import type { Call } from "./tool.ts"

/** A side request: it never fails the call, and is not the call's outcome in the log or the result. */
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

/** Reads a post again. Returns `before` if that fails. */
export const readAgain = (call: Call, before: Post) =>
  aside(
    call,
    Effect.map(call.contract.posts.get({ params: { id: before.id } }), ({ body }) => body.data),
    () => before
  )
