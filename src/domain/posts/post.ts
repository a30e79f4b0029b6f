import { Duration, Schema } from "effect"
import { GroupId, PostId } from "../ids.ts"
import { describedInstant, Instant } from "../instant.ts"
import { cardName, LinkCard } from "./linkCard.ts"
import { PostMedia, postMediaExample } from "../media/media.ts"
import { postStatuses } from "../plain/posts.ts"
import { Platform } from "../platform.ts"
import { keyExample, PostCreator, userExample } from "../people/namedAuthor.ts"
import { PlatformSettings, StoredOverrides } from "./platformSettings.ts"
import { Thread } from "./thread.ts"
import { approvalExamples, PostApproval } from "./postApproval.ts"
import { attemptWindow, maxAttempts } from "../publishing/retryPolicy.ts"
import * as sample from "../samples.ts"

const windowHours = Duration.toHours(attemptWindow)

export const PostStatus = Schema.Literals(postStatuses).annotate({
  title: "PostStatus",
  description:
    "`draft`: not scheduled. `scheduled`: waiting for its time. `publishing`: being sent to its platforms. " +
    "`published`: live on all of its platforms. `failed`: finished, and at least one platform failed.",
  examples: ["scheduled"]
})
export type PostStatus = typeof PostStatus.Type

export const TargetStatus = Schema.Literals(["pending", "publishing", "published", "failed"]).annotate({
  title: "TargetStatus",
  description:
    "`pending`: waiting for the post's time or for a retry. `publishing`: an attempt is in progress, or the platform is processing the post. " +
    "`published` and `failed`: finished; publishing a failed post again retries its failed targets.",
  examples: ["published"]
})
export type TargetStatus = typeof TargetStatus.Type

const unavailable = {
  code: "unavailable",
  message: `${sample.otherName} did not answer within 20 seconds`,
  retryable: true
} as const

export const TargetError = Schema.Struct({
  code: Schema.Literals([
    "rejected",
    "gave_up",
    "outcome_unknown",
    "missed",
    "needs_reconnect",
    "rate_limited",
    "unavailable"
  ]).annotateKey({
    description:
      "`rejected`: the platform refused the post. `rate_limited`, `unavailable`: the service retries. " +
      `\`gave_up\`: no success within ${maxAttempts} attempts or ${windowHours} hours, or a person found that it was not published. \`needs_reconnect\`: the account has to be connected again. ` +
      "`outcome_unknown`: the post may be live; check the account before you publish it again. " +
      `\`missed\`: the service was down at the scheduled time and for ${windowHours} hours after it.`
  }),
  message: Schema.String.annotateKey({ description: "An explanation for people." }),
  retryable: Schema.Boolean.annotateKey({ description: "Whether publishing again is likely to help." })
})
export type TargetError = typeof TargetError.Type

const factsExample = { may_be_published: false, reason: unavailable.message }

const TargetErrorFacts = Schema.Struct({
  may_be_published: Schema.Boolean.annotateKey({
    description: "Whether the post may be live despite the error; check the account before you publish it again."
  }),
  reason: Schema.String.annotateKey({
    description: "The message by itself: with the platform's name, and without the part that it begins with."
  }),
  part: Schema.optionalKey(Schema.Int).annotateKey({
    description: "The part of a thread that the error is about, among those that the platform gets, from 1."
  })
}).annotate({
  identifier: "TargetErrorFacts",
  description: "The facts in an error's message, for programs.",
  examples: [factsExample]
})

/** A `TargetError` as the API shows it. */
export const ShownTargetError = Schema.Struct({
  ...TargetError.fields,
  facts: Schema.optionalKey(TargetErrorFacts).annotateKey({
    description: "The facts in the message. Responses that an earlier version stored have none."
  })
}).annotate({
  identifier: "TargetError",
  description: "Why a target failed or, while it is pending, why its last attempt failed.",
  examples: [{ ...unavailable, facts: factsExample }]
})
export type ShownTargetError = typeof ShownTargetError.Type

const publishedTarget = {
  status: "published",
  platform_post_url: sample.postUrl,
  published_at: "2030-01-31T09:00:00.874Z",
  error: null,
  parts: null,
  account_id: "2244994945",
  copied_to: null,
  integrations: { platform: sample.platform }
} as const

const pendingTarget = {
  status: "pending",
  platform_post_url: null,
  published_at: null,
  error: { ...unavailable, facts: factsExample },
  parts: null,
  account_id: "did:plc:ewvi7nxzyoun6zhxrhs64oiz",
  copied_to: null,
  integrations: { platform: sample.otherPlatform }
} as const

const TargetPart = Schema.Struct({
  part: Schema.Int.annotateKey({ description: "Its place among the platform's parts, from 1." }),
  status: TargetStatus,
  platform_post_url: Schema.NullOr(Schema.String).annotateKey({
    description: "The part's URL on the platform; null until it is published."
  }),
  published_at: Schema.NullOr(Instant).annotateKey({
    description: "When the platform accepted the part; null until then."
  }),
  error: Schema.NullOr(ShownTargetError).annotateKey({
    description: "Why the part failed, or why its last attempt failed; null without an error."
  })
})
  .annotate({ identifier: "TargetPart", description: "A part of a thread on one platform." })
  .pipe(
    Schema.annotateEncoded({
      examples: [
        {
          part: 1,
          status: "published",
          platform_post_url: publishedTarget.platform_post_url,
          published_at: publishedTarget.published_at,
          error: null
        }
      ]
    })
  )

export const PostTarget = Schema.Struct({
  status: TargetStatus,
  platform_post_url: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The post's URL on the platform; null until it is published, and after that until the platform tells it."
  }),
  published_at: Schema.NullOr(Instant).annotateKey({
    description: "When the platform accepted the post; null until then."
  }),
  error: Schema.NullOr(ShownTargetError).annotateKey({
    description: "Why the target failed, or why its last attempt failed; null without an error."
  }),
  parts: Schema.NullOr(Schema.Array(TargetPart)).annotateKey({
    description: "The parts of the thread that the platform gets, in their order; null for a post without a thread."
  }),
  account_id: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The platform's own id of the account that the post goes out from: X's user id or a DID. " +
      "Only a person can move waiting posts to another account. Null if the target ended before this was stored."
  }),
  copied_to: Schema.NullOr(PostId).annotateKey({
    description:
      "The copy that took this failed target's place, so that the target is not published again; null if there is none. " +
      "Deleting the copy undoes that, unless the copy was sent on this platform, or may have been: then this still names the deleted copy."
  }),
  integrations: Schema.Struct({ platform: Platform }).annotateKey({ description: "The account to publish to." }),
  processing_since: Schema.optionalKey(
    describedInstant(
      "When the platform began to process the post, which stays `publishing` until that is done; absent if it is not being processed."
    )
  )
})
  .annotate({ identifier: "PostTarget", description: "A post on one platform." })
  .pipe(Schema.annotateEncoded({ examples: [publishedTarget, pendingTarget] }))
export type PostTarget = typeof PostTarget.Type

const publishing = {
  id: sample.postId,
  status: "publishing",
  content: "Our new release is out.",
  scheduled_at: "2030-01-31T09:00:00.000Z",
  published_at: null,
  tags: ["release"],
  platform_overrides: sample.overrides,
  platform_settings: sample.settings,
  media: [postMediaExample],
  card: null,
  thread: [],
  approval: null,
  group_id: sample.groupId,
  copied_from: null,
  reply_to: null,
  revision: 2,
  created_by: keyExample,
  post_targets: [publishedTarget, pendingTarget],
  created_at: "2030-01-24T16:20:05.123Z"
} as const

const unscheduled = {
  status: "draft",
  scheduled_at: null,
  post_targets: [
    {
      ...pendingTarget,
      error: null,
      account_id: publishedTarget.account_id,
      integrations: { platform: sample.platform }
    }
  ]
} as const

export const postExamples = {
  publishing,
  copy: {
    ...publishing,
    ...unscheduled,
    id: sample.copyId,
    media: [],
    copied_from: sample.postId,
    revision: 1,
    created_by: userExample,
    created_at: "2030-01-31T09:12:40.512Z"
  },
  draft: {
    ...publishing,
    ...unscheduled,
    approval: approvalExamples.requested
  }
} as const

export const Post = Schema.Struct({
  id: PostId.annotateKey({ description: "A UUIDv7 assigned by the service, so posts sort by creation time." }),
  status: PostStatus,
  content: Schema.String.annotateKey({ description: "The text for platforms without a text of their own." }),
  scheduled_at: Schema.NullOr(Instant).annotateKey({
    description: "When the post is or was due; null for a draft without a time."
  }),
  published_at: Schema.NullOr(Instant).annotateKey({
    description: "When the post was published on all of its platforms; null until then."
  }),
  tags: Schema.Array(Schema.String).annotateKey({ description: "Internal tags; never published." }),
  platform_overrides: StoredOverrides.annotateKey({
    description: "Text by platform, which replaces `content` there; empty without any."
  }),
  platform_settings: PlatformSettings.annotateKey({ description: "Settings by platform; empty without any." }),
  media: Schema.Array(PostMedia).annotateKey({
    description: "The files that the post carries on every platform, in their order; empty without any."
  }),
  card: Schema.NullOr(LinkCard).annotateKey({
    description: `The card of the first link on ${cardName}; null without one, and for a draft without a request for approval.`
  }),
  thread: Thread.annotateKey({
    description: "The parts of the thread that follow `content`; empty for a post without a thread."
  }),
  approval: Schema.NullOr(PostApproval).annotateKey({
    description: "The last request for approval, and what was decided; null if there was none."
  }),
  group_id: Schema.NullOr(GroupId).annotateKey({
    description: "The group of the post, such as a thread or campaign; null without a group."
  }),
  copied_from: Schema.NullOr(PostId).annotateKey({
    description: "The post that this one was copied from, which may have been deleted; null if it is not a copy."
  }),
  reply_to: Schema.NullOr(PostId).annotateKey({
    description: "The post whose thread this one continues, which may have been deleted; null if it continues none."
  }),
  revision: Schema.Int.annotateKey({
    description:
      "Grows with every change of the text, the overrides, the settings, the media, the thread, the tags, the time, the platforms or the account. With `status` it is " +
      "also the post's `ETag`."
  }),
  created_by: Schema.NullOr(PostCreator).annotateKey({
    description: "Who created the post; null for a post from before this was recorded."
  }),
  post_targets: Schema.Array(PostTarget).annotateKey({ description: "One target for each platform." }),
  created_at: describedInstant("When the post was created.")
})
  .annotate({ identifier: "Post", description: "A post, with a target for each of its platforms." })
  .pipe(Schema.annotateEncoded({ examples: Object.values(postExamples) }))
export type Post = typeof Post.Type
