import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { ReplayableOnePost } from "../../api/posts/postResponses.ts"
import { Posting } from "../../posting/Posting.ts"
import { orProblem } from "../problems.ts"
import { once } from "./idempotency.ts"
import { asActor, onePost } from "./shared.ts"

export const approvalsLayer = HttpApiBuilder.group(
  Api,
  "approvals",
  Effect.fn(function* (handlers) {
    const posting = yield* Posting

    return handlers
      .handle(
        "approve",
        ({ headers, params: { id }, payload: { publish_now, revision, schedule, scheduled_at }, request }) =>
          once({ answer: ReplayableOnePost, headers, body: request.text }, (actor, key) => {
            const scheduledAt = publish_now === true ? "now" : (scheduled_at ?? null)
            return posting.approve(actor, id, { revision, scheduledAt, takesSlot: schedule !== undefined }, key)
          }).pipe(Effect.map(onePost), orProblem)
      )
      .handle("reject", ({ params: { id }, payload }) =>
        asActor((actor) => posting.reject(actor, id, payload)).pipe(Effect.map(onePost), orProblem)
      )
      .handle("resolve", ({ headers, params, payload, request }) =>
        once({ answer: ReplayableOnePost, headers, body: request.text }, (actor, key) =>
          posting.resolve(actor, params, payload, key)
        ).pipe(Effect.map(onePost), orProblem)
      )
  })
)
