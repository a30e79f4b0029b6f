import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentActor } from "../../api/Authorization.ts"
import {
  CreatedPost,
  ReplayableCopiedPost,
  ReplayableDeletedPost,
  ReplayableOnePost
} from "../../api/posts/postResponses.ts"
import { maxParts } from "../../api/posts/splitting.ts"
import { firstRevision } from "../../domain/posts/postPlan.ts"
import { splitText } from "../../domain/posts/split/splitText.ts"
import { formatEtag } from "../../domain/plain/posts.ts"
import { Posting } from "../../posting/Posting.ts"
import type { PostJson } from "../../repo/posts/rows.ts"
import { Repo } from "../../repo/Repo.ts"
import { CurrentRules } from "../../platforms/rules.ts"
import { BaseUrl, postUrl } from "../BaseUrl.ts"
import { ParsedBody } from "../ParsedBody.ts"
import { orProblem } from "../problems.ts"
import { readKey, respondOnce } from "./idempotency.ts"
import { makePostPages } from "./postPages.ts"
import { asData, inWorkspace, onePost, onePostJson } from "./shared.ts"
import { checkMayFindCard, makeValidatePost } from "./validatePost.ts"

const storedPost = (post: PostJson) => {
  const { body, headers } = onePostJson(post)
  return HttpServerResponse.text(body, { contentType: "application/json", headers })
}

export const postsLayer = HttpApiBuilder.group(
  Api,
  "posts",
  Effect.fn(function* (handlers) {
    const { idempotency, posts } = yield* Repo
    const posting = yield* Posting
    const baseUrl = yield* BaseUrl
    const validatePost = yield* makeValidatePost
    const respondWithPage = yield* makePostPages

    return handlers
      .handle("list", ({ query }) => respondWithPage(query))
      .handle("create", ({ headers, payload, request }) =>
        Effect.gen(function* () {
          const key = yield* readKey(CreatedPost, headers, request.text)
          const created = yield* respondOnce(posting.create(yield* CurrentActor, payload, key))
          return HttpApiSchema.withHeaders({
            body: created,
            headers: {
              location: postUrl(baseUrl, created.id),
              etag: formatEtag({ revision: firstRevision, status: created.status })
            }
          })
        }).pipe(orProblem)
      )
      .handleRaw("validate", () =>
        Effect.flatMap(ParsedBody, (body) =>
          Effect.andThen(checkMayFindCard(body), orProblem(validatePost(body)))
        ).pipe(asData)
      )
      .handle("split", ({ payload: { max_parts = maxParts, numbering = "none", ...text } }) =>
        asData(Effect.map(CurrentRules, (rules) => splitText(rules, { ...text, numbering, maxParts: max_parts })))
      )
      .handle("get", ({ params: { id } }) =>
        inWorkspace((workspaceId) => posts.getJson(workspaceId, id)).pipe(Effect.map(storedPost), orProblem)
      )
      .handle("update", ({ headers, params: { id }, payload, request }) =>
        Effect.gen(function* () {
          const key = yield* readKey(ReplayableOnePost, headers, request.text)
          return yield* posting.change(yield* CurrentActor, id, payload, headers["if-match"], key)
        }).pipe(respondOnce, Effect.map(onePost), orProblem)
      )
      .handle("copy", ({ headers, params: { id }, payload, request }) =>
        Effect.gen(function* () {
          const key = yield* readKey(ReplayableCopiedPost, headers, request.text)
          const { post, warnings } = yield* respondOnce(posting.copy(yield* CurrentActor, id, payload, key))
          return HttpApiSchema.withHeaders({
            body: { data: post, warnings },
            headers: { location: postUrl(baseUrl, post.id), etag: formatEtag(post) }
          })
        }).pipe(orProblem)
      )
      .handle("publish", ({ headers, params: { id } }) =>
        Effect.gen(function* () {
          const key = yield* readKey(ReplayableOnePost, headers)
          return yield* posting.publish(yield* CurrentActor, id, headers["if-match"], key)
        }).pipe(respondOnce, Effect.map(onePost), orProblem)
      )
      .handle("delete", ({ headers, params: { id } }) =>
        Effect.gen(function* () {
          const key = yield* readKey(ReplayableDeletedPost, headers)
          const removal = posting.remove(yield* CurrentActor, id, headers["if-match"])
          return yield* idempotency.once(
            key,
            Effect.map(removal, ({ leftOnPlatforms: left }) => ({
              data: { id, deleted: true as const, left_on_platforms: left }
            }))
          )
        }).pipe(respondOnce, orProblem)
      )
  })
)
