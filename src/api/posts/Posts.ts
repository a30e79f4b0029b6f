import { Duration, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { PostId } from "../../domain/ids.ts"
import { cardName } from "../../domain/posts/linkCard.ts"
import { inThousands, maxGroupPosts, maxPostBytes } from "../../domain/posts/postSize.ts"
import { schedulingHorizon } from "../../domain/posts/postTime.ts"
import { postId } from "../../domain/samples.ts"
import { Authentication } from "../Authentication.ts"
import { Authorization } from "../Authorization.ts"
import { conditional, etag } from "../conditional.ts"
import { CheckedInput, idempotencyErrors, idempotent, JsonBody } from "../input.ts"
import { operation } from "../operation.ts"
import { CopyPost, CreatePost, UpdatePost, ValidatePost } from "./postBodies.ts"
import { postListQuery } from "./postListQuery.ts"
import { CopiedPost, CreatedPost, DeletedPost, OnePost, PostPage, ValidationResponse } from "./postResponses.ts"
import { SplitResponse, SplitText } from "./splitting.ts"
import { ContentTooLong, shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"

export const postParams = { id: PostId.annotateKey({ description: "The post's id.", examples: [PostId.make(postId)] }) }

const list = HttpApiEndpoint.get("list", "/", {
  query: postListQuery,
  success: PostPage
})
  .annotateMerge(
    operation({
      id: "listPosts",
      scope: "posts:read",
      summary: "List posts",
      description:
        "Lists the workspace's posts, newest first, or by `sort` and `order`. All filters that are given have to match. Pages go by `cursor`; `page` and `offset` are refused. A long list is sent while it " +
        "is read; if that fails, the connection breaks. A 503 with `Retry-After` means that too many long lists are being read."
    })
  )
  .middleware(CheckedInput)

const create = HttpApiEndpoint.post("create", "/", {
  headers: idempotent,
  payload: CreatePost,
  success: HttpApiSchema.WithHeaders(CreatedPost.pipe(HttpApiSchema.status(201)), { location: Schema.String, ...etag }),
  error: [shown.IntegrationNotConnected, ContentTooLong, shown.MediaNotReady, ...idempotencyErrors]
})
  .annotateMerge(
    operation({
      id: "createPost",
      scope: "posts:write",
      summary: "Create a post",
      description:
        `Creates a scheduled post with \`schedule_at\`, at most ${Duration.toDays(schedulingHorizon)} days ahead, and a draft without it. \`status: draft\` keeps the time ` +
        "without scheduling. `platform_overrides` replaces `content` on a platform; fields of `platform_settings` that a platform " +
        `does not list are ignored. These two, \`content\`, \`tags\` and the alt texts of \`media\` together may have ${inThousands(maxPostBytes)} bytes: texts in UTF-8, settings as JSON. ` +
        `A group may have ${inThousands(maxGroupPosts)} posts. An API key that requires approval can only draft: a post that it schedules stays a draft with ` +
        "its time, and the workspace is notified."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const validate = HttpApiEndpoint.post("validate", "/validate", {
  payload: ValidatePost,
  success: ValidationResponse
})
  .annotateMerge(
    operation({
      id: "validatePost",
      scope: "posts:read",
      summary: "Validate a post",
      description:
        "Reports whether creating this post would succeed, and stores no post. `targets` has the text's length on each platform that is " +
        `enabled, in the platform's own unit. A draft is valid even if its text is too long. With \`cards\` the response also has the card that the first link would have on ${cardName}; ` +
        "a page that can't be read in time gives none."
    })
  )
  .middleware(JsonBody)

const split = HttpApiEndpoint.post("split", "/split", {
  payload: SplitText,
  success: SplitResponse
})
  .annotateMerge(
    operation({
      id: "splitText",
      scope: "posts:read",
      summary: "Split a text",
      description:
        "Splits a text into the parts of a thread, each within the limits of all the platforms that are enabled, and stores nothing. " +
        "A paragraph that fits into a part stays whole; of a longer one each line, of a longer line each sentence, and of a longer sentence each word. " +
        "A word is cut only if it does not fit into a part by itself. A link, mention, hashtag or cashtag that fits is never cut. The parts have the text's " +
        "characters in their order, except for white space at the cuts. If no platform is enabled, a part may be as long as a post's text."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const get = HttpApiEndpoint.get("get", "/:id", {
  params: postParams,
  success: HttpApiSchema.WithHeaders(OnePost, etag),
  error: shown.NotFound
})
  .annotateMerge(
    operation({
      id: "getPost",
      scope: "posts:read",
      summary: "Get a post",
      description: "Returns the post's current state, with the status of each target."
    })
  )
  .middleware(CheckedInput)

const update = HttpApiEndpoint.patch("update", "/:id", {
  params: postParams,
  headers: { ...idempotent, ...conditional },
  payload: UpdatePost,
  success: HttpApiSchema.WithHeaders(OnePost, etag),
  error: [
    shown.NotFound,
    shown.InvalidState,
    shown.PostUnreadable,
    shown.IntegrationNotConnected,
    ContentTooLong,
    shown.MediaNotReady,
    shown.NotOwnDraft,
    shown.ApprovalRequired,
    shown.RevisionMismatch,
    shown.PreconditionRequired,
    ...idempotencyErrors
  ]
})
  .annotateMerge(
    operation({
      id: "updatePost",
      scope: "posts:write",
      summary: "Update a post",
      description:
        "Changes the given members of a draft or scheduled post. Only `status` changes the status. `platform_overrides` and " +
        "`platform_settings` are replaced as a whole, and so are `media` and `platforms`. Platforms can be changed until an attempt to publish the post begins; " +
        "overrides and settings of a removed one stay, unused. An API key that requires approval changes only drafts that it created; " +
        "scheduling one notifies the workspace once for each revision, and from then on the key has to send `If-Match`, and not `*`."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const copy = HttpApiEndpoint.post("copy", "/:id/copy", {
  params: postParams,
  headers: idempotent,
  payload: CopyPost,
  success: HttpApiSchema.WithHeaders(CopiedPost.pipe(HttpApiSchema.status(201)), { location: Schema.String, ...etag }),
  error: [
    shown.NotFound,
    shown.InvalidState,
    shown.PostUnreadable,
    shown.OutcomeOpen,
    shown.IntegrationNotConnected,
    ContentTooLong,
    shown.MediaNotReady,
    shown.ApprovalRequired,
    ...idempotencyErrors
  ]
})
  .annotateMerge(
    operation({
      id: "copyPost",
      scope: "posts:write",
      summary: "Copy a post",
      description:
        "Creates a draft of the caller's with the text, overrides, settings, media, tags and group of a post in any status; without its time. " +
        "`what: missing` copies a post for the platforms on which it failed, if what failed is certainly not out. If it may be out on one of them, the response is " +
        "`outcome_open`, unless `platforms` leaves that platform out. The copy takes the place of these targets: they show it as `copied_to`, and are " +
        "neither copied nor published again until the copy is deleted without anything of it sent. Files that are gone are left out and named in " +
        "`warnings`. An API key that requires approval can copy a whole post only."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const publish = HttpApiEndpoint.post("publish", "/:id/publish", {
  params: postParams,
  headers: { ...idempotent, ...conditional },
  success: HttpApiSchema.WithHeaders(OnePost.pipe(HttpApiSchema.status(202)), etag),
  error: [
    shown.NotFound,
    shown.InvalidState,
    shown.PostUnreadable,
    ContentTooLong,
    shown.MediaNotReady,
    shown.ApprovalRequired,
    shown.RevisionMismatch,
    ...idempotencyErrors
  ]
})
  .annotateMerge(
    operation({
      id: "publishPost",
      scope: "posts:publish",
      summary: "Publish a post now",
      description:
        "Makes a draft or scheduled post due now; it is published within 60 seconds. On a failed post, retries the failed targets only, without those that a copy has taken over; the post keeps its `scheduled_at`. " +
        "A post that is being published stays as it is."
    })
  )
  .middleware(CheckedInput)

const remove = HttpApiEndpoint.delete("delete", "/:id", {
  params: postParams,
  headers: { ...idempotent, ...conditional },
  success: DeletedPost,
  error: [
    shown.NotFound,
    shown.InvalidState,
    shown.NotOwnDraft,
    shown.RevisionMismatch,
    shown.PreconditionRequired,
    ...idempotencyErrors
  ]
})
  .annotateMerge(
    operation({
      id: "deletePost",
      scope: "posts:delete",
      summary: "Delete a post",
      description:
        "Deletes a draft, cancels a scheduled post, or removes a published post from the workspace; it stays on its platforms, and " +
        "`left_on_platforms` says how many of its posts stay there. " +
        "After the response nothing of the post is sent. Refused while an attempt to publish is in progress. An API key that " +
        "requires approval deletes only drafts that it created."
    })
  )
  .middleware(CheckedInput)

export class Posts extends HttpApiGroup.make("posts")
  .add(list, create, validate, split, get, update, copy, publish, remove)
  .middleware(Authorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/posts")
  .annotateMerge(
    OpenApi.annotations({ title: "Posts", description: "Draft, schedule, publish, change, copy and delete posts." })
  ) {}
