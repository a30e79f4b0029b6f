import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentActor } from "../../api/Authorization.ts"
import { ReplayableOnePost } from "../../api/posts/postResponses.ts"
import { Posting } from "../../posting/Posting.ts"
import { orProblem } from "../problems.ts"
import { readKey, respondOnce } from "./idempotency.ts"
import { asActor, onePost } from "./shared.ts"

export const approvalsLayer = HttpApiBuilder.group(
  Api,
  "approvals",
  Effect.fn(function* (handlers) {
    const posting = yield* Posting

    return handlers
      .handle("approve", ({ headers, params: { id }, payload: { publish_now, revision, scheduled_at }, request }) =>
        Effect.gen(function* () {
          const key = yield* readKey(ReplayableOnePost, headers, request.text)
          const approval = { revision, scheduledAt: publish_now === true ? "now" : (scheduled_at ?? null) } as const
          return yield* posting.approve(yield* CurrentActor, id, approval, key)
        }).pipe(respondOnce, Effect.map(onePost), orProblem)
      )
      .handle("reject", ({ params: { id }, payload }) =>
        asActor((actor) => posting.reject(actor, id, payload)).pipe(Effect.map(onePost), orProblem)
      )
      .handle("resolve", ({ params, payload }) =>
        asActor((actor) => posting.resolve(actor, params, payload)).pipe(Effect.map(onePost), orProblem)
      )
  })
)
