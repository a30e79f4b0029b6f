import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { PostId } from "../domain/ids.ts"
import { PostStatus } from "../domain/post.ts"
import { Authentication } from "./Authentication.ts"
import { Authorization } from "./Authorization.ts"
import { PostCursor } from "./cursor.ts"
import { ApprovalRequired, ContentTooLong, IntegrationNotConnected, InvalidState, NotFound } from "./problems.ts"
import { idempotencyErrors, idempotent } from "./idempotency.ts"
import { CheckedInput, JsonBody } from "./input.ts"
import { operation } from "./operation.ts"
import { CreatedPost, DeletedPost, OnePost, PostPage, Validation } from "./postResponses.ts"
import { CreatePost, UpdatePost } from "./postBodies.ts"
import { RateLimit } from "./RateLimit.ts"
import { wholeNumber, wholeNumberParameter } from "./wholeNumber.ts"

/** How many posts a page of the list has unless it is asked for another number. */
export const defaultPostLimit = 20

const limitRange = { minimum: 1, maximum: 1000 }

const params = { id: PostId }

const list = HttpApiEndpoint.get("list", "/", {
  query: {
    status: Schema.optionalKey(PostStatus),
    limit: Schema.optionalKey(wholeNumber(limitRange)),
    cursor: Schema.optionalKey(PostCursor)
  },
  success: PostPage
})
  .annotateMerge(
    operation({
      id: "listPosts",
      scope: "posts:read",
      summary: "List posts",
      description: "The workspace's posts, newest first.",
      parameters: [
        {
          name: "status",
          in: "query",
          description: "Only the posts with this status",
          schema: { type: "string", enum: PostStatus.literals },
          required: false
        },
        wholeNumberParameter("limit", "How many posts to answer", { ...limitRange, default: defaultPostLimit }),
        {
          name: "cursor",
          in: "query",
          description: "The `next_cursor` of the page before; null there means that it was the last one",
          schema: { type: "string" },
          required: false
        }
      ]
    })
  )
  .middleware(CheckedInput)

const create = HttpApiEndpoint.post("create", "/", {
  headers: idempotent,
  payload: CreatePost,
  success: HttpApiSchema.WithHeaders(CreatedPost.pipe(HttpApiSchema.status(201)), { location: Schema.String }),
  error: [IntegrationNotConnected, ContentTooLong, ...idempotencyErrors]
})
  .annotateMerge(
    operation({
      id: "createPost",
      scope: "posts:write",
      summary: "Create a post",
      description:
        "With `schedule_at`, at most 180 days ahead, the post is scheduled; without it, it is a draft. `status: draft` keeps a time " +
        "without scheduling. `platform_overrides` replaces `content` on a platform; in `platform_settings` what a platform does not list is " +
        "ignored. A key that requires approval drafts only: what it schedules stays a draft with its time, and the workspace is told."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const validate = HttpApiEndpoint.post("validate", "/validate", {
  payload: CreatePost,
  success: Schema.Struct({ data: Validation }).annotate({ identifier: "ValidationAnswer" })
})
  .annotateMerge(
    operation({
      id: "validatePost",
      scope: "posts:read",
      summary: "Validate a post",
      description:
        "Says what creating this post would come to, and stores nothing. `targets` measures each live platform's text in that " +
        "platform's own count; a draft may be longer than that and is still valid."
    })
  )
  .middleware(JsonBody)

const get = HttpApiEndpoint.get("get", "/:id", {
  params,
  success: OnePost,
  error: NotFound
})
  .annotateMerge(
    operation({
      id: "getPost",
      scope: "posts:read",
      summary: "Get a post",
      description: "The post as it stands, with the status of each of its targets."
    })
  )
  .middleware(CheckedInput)

const update = HttpApiEndpoint.patch("update", "/:id", {
  params,
  payload: UpdatePost,
  success: OnePost,
  error: [NotFound, InvalidState, ContentTooLong, ApprovalRequired]
})
  .annotateMerge(
    operation({
      id: "updatePost",
      scope: "posts:write",
      summary: "Update a post",
      description:
        "Changes the members that are given, of a draft or scheduled post. The status changes only by `status`. A key that requires " +
        "approval can't change a scheduled post unless it makes it a draft."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const publish = HttpApiEndpoint.post("publish", "/:id/publish", {
  params,
  headers: idempotent,
  success: OnePost.pipe(HttpApiSchema.status(202)),
  error: [NotFound, InvalidState, ContentTooLong, ApprovalRequired, ...idempotencyErrors]
})
  .annotateMerge(
    operation({
      id: "publishPost",
      scope: "posts:publish",
      summary: "Publish a post now",
      description:
        "Makes a draft or scheduled post due now; it goes out within 60 seconds. On a failed post, the failed targets are tried again, and only those."
    })
  )
  .middleware(CheckedInput)

const remove = HttpApiEndpoint.delete("delete", "/:id", {
  params,
  headers: idempotent,
  success: DeletedPost,
  error: [NotFound, InvalidState, ...idempotencyErrors]
})
  .annotateMerge(
    operation({
      id: "deletePost",
      scope: "posts:write",
      summary: "Delete a post",
      description:
        "Deletes a draft, cancels a scheduled post, or removes a published one from the workspace; what is on a platform stays there. " +
        "After the answer nothing of the post is sent. It is refused while an attempt is in flight."
    })
  )
  .middleware(CheckedInput)

export class Posts extends HttpApiGroup.make("posts")
  .add(list, create, validate, get, update, publish, remove)
  .middleware(Authorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/posts")
  .annotateMerge(
    OpenApi.annotations({ title: "Posts", description: "Draft, schedule, publish, change and delete posts." })
  ) {}
