import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentActor } from "../../api/Authorization.ts"
import { CreatedPost, ReplayableCopiedPost, ReplayableDeletedPost } from "../../api/posts/postResponses.ts"
import { maxParts } from "../../api/posts/splitting.ts"
import { firstRevision } from "../../domain/posts/postPlan.ts"
import { splitText } from "../../domain/posts/split/splitText.ts"
import { formatEtag } from "../../domain/plain/posts.ts"
import { Posting } from "../../posting/Posting.ts"
import type { Writing } from "../../posting/scheduling.ts"
import type { CopiedPost } from "../../repo/posts/Posts.ts"
import type { PostJson } from "../../repo/posts/rows.ts"
import { Repo } from "../../repo/Repo.ts"
import { CurrentRules } from "../../platforms/rules.ts"
import { BaseUrl, postUrl } from "../BaseUrl.ts"
import { ParsedBody } from "../ParsedBody.ts"
import { orProblem } from "../problems.ts"
import { makeOnce, makeOncePost } from "./idempotency.ts"
import { makePostPages } from "./postPages.ts"
import { asActor, asData, inWorkspace, onePost, onePostJson } from "./shared.ts"
import { checkMayFindCard, makeValidatePost } from "./validatePost.ts"

/** A response with one post that the database has encoded. */
const storedPost = (post: PostJson) => {
  const { body, headers } = onePostJson(post)
  return HttpServerResponse.text(body, { contentType: "application/json", headers })
}

export const postsLayer = HttpApiBuilder.group(
  Api,
  "posts",
  Effect.fn(function* (handlers) {
    const { posts } = yield* Repo
    const posting = yield* Posting
    const baseUrl = yield* BaseUrl
    const onceFor = yield* makeOnce
    const oncePost = yield* makeOncePost
    const validatePost = yield* makeValidatePost
    const respondWithPage = yield* makePostPages

    return handlers
      .handle("list", ({ query }) => respondWithPage(query))
      .handle("create", ({ headers, payload, request }) =>
        Effect.gen(function* () {
          const once = yield* onceFor(headers, yield* Effect.orDie(request.text))
          const created = yield* posting.create(yield* CurrentActor, payload, (write, atOnce) =>
            once(CreatedPost, write, atOnce)
          )
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
          const writing = yield* oncePost(headers, yield* Effect.orDie(request.text))
          return yield* posting.change(yield* CurrentActor, id, payload, headers["if-match"], writing)
        }).pipe(Effect.map(onePost), orProblem)
      )
      .handle("copy", ({ headers, params: { id }, payload, request }) =>
        Effect.gen(function* () {
          const once = yield* onceFor(headers, yield* Effect.orDie(request.text))
          const writing: Writing<CopiedPost> = (write) =>
            once(
              ReplayableCopiedPost,
              Effect.map(write, ({ post, warnings }) => ({ data: post, warnings }))
            ).pipe(Effect.map(({ data, warnings }) => ({ post: data, warnings })))
          const { post, warnings } = yield* posting.copy(yield* CurrentActor, id, payload, writing)
          return HttpApiSchema.withHeaders({
            body: { data: post, warnings },
            headers: { location: postUrl(baseUrl, post.id), etag: formatEtag(post) }
          })
        }).pipe(orProblem)
      )
      .handle("publish", ({ headers, params: { id } }) =>
        Effect.flatMap(oncePost(headers, ""), (writing) =>
          asActor((actor) => posting.publish(actor, id, headers["if-match"], writing))
        ).pipe(Effect.map(onePost), orProblem)
      )
      .handle("delete", ({ headers, params: { id } }) =>
        asActor((actor) => posting.remove(actor, id, headers["if-match"])).pipe(
          Effect.map(({ leftOnPlatforms: left }) => ({
            data: { id, deleted: true as const, left_on_platforms: left }
          })),
          (removal) => Effect.flatMap(onceFor(headers, ""), (once) => once(ReplayableDeletedPost, removal)),
          orProblem
        )
      )
  })
)
