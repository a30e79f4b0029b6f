import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { ParsedBody } from "../../api/input.ts"
import {
  CreatedPost,
  ReplayableCopiedPost,
  ReplayableDeletedPost,
  ReplayableOnePost
} from "../../api/posts/postResponses.ts"
import { maxParts } from "../../api/posts/splitting.ts"
import type { PostId } from "../../domain/ids.ts"
import { firstRevision } from "../../domain/posts/postPlan.ts"
import { splitSteps } from "../../domain/posts/split/splitText.ts"
import { formatEtag } from "../../domain/plain/posts.ts"
import { runSteps } from "../../domain/steps.ts"
import { makeWorkspaceTurns } from "../../domain/workspaceTurns.ts"
import { Posting } from "../../posting/Posting.ts"
import type { PostJson } from "../../repo/posts/rows.ts"
import { Repo } from "../../repo/Repo.ts"
import { CurrentRules } from "../../platforms/rules.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { orProblem } from "../problems.ts"
import { once } from "./idempotency.ts"
import { makePostPages } from "./postPages.ts"
import { asData, inWorkspace, onePost, onePostJson } from "./shared.ts"
import { checkMayFindCard, makeValidatePost } from "./validatePost.ts"

const storedPost = (post: PostJson) => {
  const { body, headers } = onePostJson(post)
  return HttpServerResponse.text(body, { contentType: "application/json", headers })
}

/** Splitting a text of 64 kB takes a quarter of a second of the processor. */
const splitTurns = { total: 1, perWorkspace: 1 }

export const postsLayer = HttpApiBuilder.group(
  Api,
  "posts",
  Effect.fn(function* (handlers) {
    const { idempotency, posts } = yield* Repo
    const posting = yield* Posting
    const baseUrl = yield* BaseUrl
    const validatePost = yield* makeValidatePost
    const { inTurn } = makeWorkspaceTurns(splitTurns)
    const respondWithPage = yield* makePostPages
    const locate = (id: PostId, state: Parameters<typeof formatEtag>[0]) => ({
      location: `${baseUrl}/v1/posts/${id}`,
      etag: formatEtag(state)
    })

    return handlers
      .handle("list", ({ query }) => respondWithPage(query))
      .handle("create", ({ headers, payload, request }) =>
        once({ answer: CreatedPost, headers, body: request.text }, (actor, key) =>
          posting.create(actor, payload, key)
        ).pipe(
          Effect.map((created) =>
            HttpApiSchema.withHeaders({
              body: created,
              headers: locate(created.id, { revision: firstRevision, status: created.status })
            })
          ),
          orProblem
        )
      )
      .handleRaw("validate", () =>
        Effect.flatMap(ParsedBody, (body) =>
          Effect.andThen(checkMayFindCard(body), orProblem(validatePost(body)))
        ).pipe(asData)
      )
      .handle("split", ({ payload: { max_parts = maxParts, numbering = "none", ...text } }) =>
        inWorkspace((workspaceId) =>
          Effect.flatMap(CurrentRules, (rules) =>
            inTurn(workspaceId)(runSteps(splitSteps(rules, { ...text, numbering, maxParts: max_parts })))
          )
        ).pipe(asData)
      )
      .handle("get", ({ params: { id } }) =>
        inWorkspace((workspaceId) => posts.getJson(workspaceId, id)).pipe(Effect.map(storedPost), orProblem)
      )
      .handle("update", ({ headers, params: { id }, payload, request }) =>
        once({ answer: ReplayableOnePost, headers, body: request.text }, (actor, key) =>
          posting.change(actor, id, payload, headers["if-match"], key)
        ).pipe(Effect.map(onePost), orProblem)
      )
      .handle("copy", ({ headers, params: { id }, payload, request }) =>
        once({ answer: ReplayableCopiedPost, headers, body: request.text }, (actor, key) =>
          posting.copy(actor, id, payload, key)
        ).pipe(
          Effect.map(({ post, warnings }) =>
            HttpApiSchema.withHeaders({ body: { data: post, warnings }, headers: locate(post.id, post) })
          ),
          orProblem
        )
      )
      .handle("publish", ({ headers, params: { id } }) =>
        once({ answer: ReplayableOnePost, headers }, (actor, key) =>
          posting.publish(actor, id, headers["if-match"], key)
        ).pipe(Effect.map(onePost), orProblem)
      )
      .handle("delete", ({ headers, params: { id } }) =>
        once({ answer: ReplayableDeletedPost, headers }, (actor, key) =>
          idempotency.once(
            key,
            Effect.map(posting.remove(actor, id, headers["if-match"]), ({ leftOnPlatforms: left }) => ({
              data: { id, deleted: true as const, left_on_platforms: left }
            }))
          )
        ).pipe(orProblem)
      )
  })
)
