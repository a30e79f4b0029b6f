import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CreatedPost, DeletedPost } from "../../api/postResponses.ts"
import { Repo } from "../../repo/Repo.ts"
import { asData } from "./asData.ts"
import { BaseUrl, postUrl } from "../BaseUrl.ts"
import { makeCreatePost } from "./createPost.ts"
import { makeOnce } from "./idempotency.ts"
import { inWorkspace } from "./inWorkspace.ts"
import { makeListPosts } from "./listPosts.ts"
import { orProblem } from "../problems.ts"
import { makePublishPost } from "./publishPost.ts"
import { makeUpdatePost } from "./updatePost.ts"
import { makeValidatePost } from "./validatePost.ts"

export const posts = HttpApiBuilder.group(
  Api,
  "posts",
  Effect.fn(function* (handlers) {
    const repo = yield* Repo
    const baseUrl = yield* BaseUrl
    const once = yield* makeOnce
    const listPosts = yield* makeListPosts
    const createPost = yield* makeCreatePost
    const validatePost = yield* makeValidatePost
    const updatePost = yield* makeUpdatePost
    const publishPost = yield* makePublishPost

    return handlers
      .handle("list", ({ query }) => orProblem(listPosts(query)))
      .handle("create", ({ headers, payload, request }) =>
        Effect.orDie(request.text).pipe(
          Effect.flatMap((body) => once(headers, body, CreatedPost, createPost(payload))),
          orProblem,
          Effect.map((body) => HttpApiSchema.withHeaders({ body, headers: { location: postUrl(baseUrl, body.id) } }))
        )
      )
      .handleRaw("validate", ({ request }) =>
        Effect.orDie(request.json).pipe(Effect.flatMap(validatePost), asData, orProblem)
      )
      .handle("get", ({ params }) =>
        inWorkspace((workspaceId) => repo.posts.get(workspaceId, params.id)).pipe(asData, orProblem)
      )
      .handle("update", ({ params, payload }) => updatePost(params.id, payload).pipe(asData, orProblem))
      .handle("publish", ({ headers, params }) => orProblem(publishPost(params.id, headers)))
      .handle("delete", ({ headers, params: { id } }) =>
        inWorkspace((workspaceId) => repo.posts.remove(workspaceId, id)).pipe(
          Effect.as({ data: { id, deleted: true as const } }),
          (removal) => once(headers, "", DeletedPost, removal),
          orProblem
        )
      )
  })
)
