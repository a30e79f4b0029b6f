import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { maxReasonLength } from "../../domain/plain/limits.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { Schedule } from "../../domain/posts/newPost.ts"
import { PostTime } from "../../domain/posts/postTime.ts"
import { Text } from "../../domain/posts/text/publishableText.ts"
import { Authentication } from "../Authentication.ts"
import { Authorization } from "../Authorization.ts"
import { etag } from "../conditional.ts"
import { examples } from "../examples.ts"
import { CheckedInput, idempotencyErrors, idempotent, JsonBody } from "../input.ts"
import { operation } from "../operation.ts"
import { orNull } from "../orNull.ts"
import { OnePost } from "./postResponses.ts"
import { postParams } from "./Posts.ts"
import { ContentTooLong, shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"

const Reason = Text.check(
  Schema.isMaxLength(maxReasonLength, { expected: `a text of at most ${maxReasonLength} characters` }),
  Schema.isPattern(/\S/, { expected: "a text that is not blank" })
)

export const seenRevision = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 }))
  .annotate({ format: "int32" })
  .annotateKey({ description: "The `revision` of the post that you have read." })

const isOneTime = Schema.makeFilter(
  (order: { readonly scheduled_at?: unknown; readonly schedule?: unknown; readonly publish_now?: boolean }) =>
    [order.scheduled_at !== undefined, order.schedule !== undefined, order.publish_now === true].filter(Boolean)
      .length <= 1,
  { expected: "only one of scheduled_at, schedule and publish_now" }
)

const isAgainAfterLook = Schema.makeFilter(
  ({ outcome, publish_again }: { readonly outcome: string; readonly publish_again?: boolean }) =>
    publish_again !== true || outcome === "not_published",
  { expected: "publish_again only with the outcome not_published" }
)

const isUrlOfPublished = Schema.makeFilter(
  ({ outcome, url }: { readonly outcome: string; readonly url?: string }) =>
    url === undefined || outcome === "published",
  { expected: "a url only with the outcome published" }
)

export const ApprovePost = Schema.Struct({
  revision: seenRevision,
  scheduled_at: Schema.optionalKey(PostTime).annotateKey({
    description: "When to publish, in place of the post's own time, under the rules of `schedule_at` on creation."
  }),
  schedule: Schema.optionalKey(Schedule).annotateKey({
    description:
      "`next_slot`: the next free slot of the workspace's queue, in place of the post's own time; its own slot if that is the first."
  }),
  publish_now: Schema.optionalKey(Schema.Boolean).annotateKey({ description: "Whether to publish it immediately." })
})
  .mapFields(Struct.mapOmit(["revision"], orNull))
  .check(isOneTime)
  .annotate({ identifier: "ApprovePost", description: "What to approve, and when to publish it." })
  .pipe(
    examples({
      ownTime: { revision: 2 },
      now: { revision: 2, publish_now: true },
      nextSlot: { revision: 2, schedule: "next_slot" }
    })
  )

export const RejectPost = Schema.Struct({
  revision: seenRevision,
  reason: Reason.annotateKey({ description: `What has to change: up to ${maxReasonLength} characters.` })
})
  .annotate({ identifier: "RejectPost", description: "What to reject, and why." })
  .pipe(examples({ rejected: { revision: 2, reason: "The date is wrong." } }))

const approve = HttpApiEndpoint.post("approve", "/:id/approve", {
  params: postParams,
  headers: idempotent,
  payload: ApprovePost,
  success: HttpApiSchema.WithHeaders(OnePost, etag),
  error: [
    shown.NotFound,
    shown.InvalidState,
    shown.PostUnreadable,
    shown.TimeRequired,
    ContentTooLong,
    shown.MediaNotReady,
    shown.ApprovalRequired,
    shown.RevisionConflict,
    ...idempotencyErrors
  ]
}).annotateMerge(
  operation({
    id: "approvePost",
    scope: "posts:publish",
    summary: "Approve a post",
    description:
      "Schedules a draft, under the rules of an update, if it still has the revision that you have read. Without a time of its own, or with one that " +
      "is past by more than 5 minutes, it needs `scheduled_at`, `schedule` or `publish_now`. It also works for a draft for which nobody requested approval. Approval is of " +
      "that revision: `approval.revision` tells whether the post was changed since. A rejected revision can't be approved; it can be " +
      "changed, or scheduled by an update."
  })
)

const reject = HttpApiEndpoint.post("reject", "/:id/reject", {
  params: postParams,
  payload: RejectPost,
  success: HttpApiSchema.WithHeaders(OnePost, etag),
  error: [shown.NotFound, shown.InvalidState, shown.PostUnreadable, shown.ApprovalRequired, shown.RevisionConflict]
}).annotateMerge(
  operation({
    id: "rejectPost",
    scope: "posts:publish",
    summary: "Reject a post",
    description:
      "Rejects a draft and says why. It stays a draft. Approval of that revision can't be requested again; of a changed one " +
      "it can. A revision is rejected once."
  })
)

export const ResolveTarget = Schema.Struct({
  outcome: Schema.Literals(["published", "not_published"]).annotateKey({
    description: "What the account shows: the post, or nothing of it."
  }),
  url: Schema.optionalKey(Text.check(Schema.isMaxLength(2000))).annotateKey({
    description:
      "With `published`: the URL of the post on its platform, as the browser shows it, by a handle that the service knows, by the account's DID, or as https://x.com/i/status/ID. Needed for a part of a thread that others follow."
  }),
  continue: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "With `published`, for a part of a thread: whether the parts that follow are sent then. Without it they are sent once the post is published again."
  }),
  publish_again: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "With `not_published`: whether the target is published again now, unless the platform shows the post then. Either both are stored or nothing; the post's other targets stay as they are."
  })
})
  .mapFields(Struct.mapOmit(["outcome"], orNull))
  .check(isUrlOfPublished)
  .check(isAgainAfterLook)
  .annotate({ identifier: "ResolveTarget", description: "The outcome that a person has found." })
  .pipe(
    examples({
      published: { outcome: "published", url: "https://x.com/acme/status/1892345678901234567" },
      notPublished: { outcome: "not_published" },
      publishAgain: { outcome: "not_published", publish_again: true }
    })
  )

const resolve = HttpApiEndpoint.post("resolve", "/:id/targets/:platform/resolve", {
  params: { ...postParams, platform: LivePlatform.annotateKey({ description: "The platform of the target." }) },
  headers: idempotent,
  payload: ResolveTarget,
  success: HttpApiSchema.WithHeaders(OnePost, etag),
  error: [
    shown.NotFound,
    shown.InvalidState,
    shown.PostUnreadable,
    ContentTooLong,
    shown.MediaNotReady,
    shown.ApprovalRequired,
    ...idempotencyErrors
  ]
}).annotateMerge(
  operation({
    id: "resolveTarget",
    scope: "posts:publish",
    summary: "Resolve an unknown outcome",
    description:
      "Records the outcome of a failed target that may be published, after a person has checked the account: its error is `outcome_unknown`, or its message says so. `published` makes the target " +
      "published, with its `url`; in a thread, it is about the part that the target has reached. After `not_published`, publishing the post again sends it, unless the platform shows it then; `publish_again` orders both at once. " +
      "`published` and its `url` are final."
  })
)

export class Approvals extends HttpApiGroup.make("approvals")
  .add(approve, reject, resolve)
  .middleware(CheckedInput)
  .middleware(JsonBody)
  .middleware(Authorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/posts")
  .annotateMerge(OpenApi.annotations({ title: "Approvals", description: "What people decide about posts." })) {}
