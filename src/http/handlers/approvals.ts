import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentActor } from "../../api/Authorization.ts"
import { Posting } from "../../posting/Posting.ts"
import { orProblem } from "../problems.ts"
import { makeOncePost } from "./idempotency.ts"
import { asActor, onePost } from "./shared.ts"

export const approvalsLayer = HttpApiBuilder.group(
  Api,
  "approvals",
  Effect.fn(function* (handlers) {
    const posting = yield* Posting
    const oncePost = yield* makeOncePost

    return handlers
      .handle("approve", ({ headers, params: { id }, payload: { publish_now, revision, scheduled_at }, request }) =>
        Effect.gen(function* () {
          const writing = yield* oncePost(headers, yield* Effect.orDie(request.text))
          const approval = { revision, scheduledAt: publish_now === true ? "now" : (scheduled_at ?? null) } as const
          return onePost(yield* posting.approve(yield* CurrentActor, id, approval, writing))
        }).pipe(orProblem)
      )
      .handle("reject", ({ params: { id }, payload }) =>
        asActor((actor) => posting.reject(actor, id, payload)).pipe(Effect.map(onePost), orProblem)
      )
      .handle("resolve", ({ params, payload }) =>
        asActor((actor) => posting.resolve(actor, params, payload)).pipe(Effect.map(onePost), orProblem)
      )
  })
)
