import { Schema } from "effect"
import { ChannelId, IntegrationId, NotificationId, PostId, WebhookId } from "./ids.ts"
import { describedInstant, Instant } from "./instant.ts"
import { findingLevels } from "./plain/outlook.ts"
import { Platform } from "./platform.ts"
import { namePlatforms } from "./plain/platforms.ts"
import * as sample from "./samples.ts"

const event = <const Type extends string, const Metadata extends Schema.Struct.Fields>(
  type: Type,
  metadata: Metadata
) =>
  Schema.Struct({
    type: Schema.tag(type).annotateKey({ description: "The type of event." }),
    metadata: Schema.Struct(metadata).annotateKey({ description: "The details, which depend on the type." })
  })

/** The most findings in a notification's metadata. */
export const maxToldFindings = 20

const post_id = PostId.annotateKey({ description: "The post's id." })

const PostPublished = event("post.published", {
  post_id,
  platforms: Schema.Array(Platform).annotateKey({ description: "The platforms that the post was published on." })
})

const PostFailed = event("post.failed", {
  post_id,
  platform: Platform,
  code: Schema.String.annotateKey({ description: "The reason on this platform, as in a target's `error.code`." }),
  failures: Schema.Array(
    Schema.Struct({
      platform: Platform,
      code: Schema.String.annotateKey({ description: "The reason, as in a target's `error.code`." }),
      message: Schema.String.annotateKey({ description: "An explanation for people." })
    })
  ).annotateKey({ description: "Every platform that failed, including the first." }),
  integration_id: Schema.optionalKey(IntegrationId).annotateKey({
    description: "The account that has to be connected again, if the post failed for no other reason."
  }),
  count: Schema.optionalKey(Schema.Int).annotateKey({
    description:
      "How many posts this notification is about, if others failed for the same account; `post_id` is the latest."
  })
})

const PostUnconfirmed = event("post.unconfirmed", {
  post_id,
  platform: Platform,
  integration_id: IntegrationId.annotateKey({ description: "The account that the post was sent from." })
})

/** `waiting`: nobody has decided for a day. `due`: the post's time is at most two hours away. */
export const ApprovalReminder = Schema.Literals(["waiting", "due"])

const PostApprovalRequested = event("post.approval_requested", {
  post_id,
  scheduled_at: Schema.NullOr(Instant).annotateKey({ description: "The requested time; null without one." }),
  reminder: Schema.optionalKey(ApprovalReminder).annotateKey({
    description:
      "Only in a reminder of an earlier request. `waiting`: nobody has decided for a day. `due`: the post's time is at most two hours away."
  })
})

const DraftOverdue = event("post.draft_overdue", {
  post_id,
  scheduled_at: describedInstant("The time that has passed."),
  count: Schema.optionalKey(Schema.Int).annotateKey({
    description:
      "How many drafts this notification is about, if the times of many had passed; `post_id` is the draft with the earliest time."
  })
})

const PublishingHeld = event("publishing.held", {
  held_since: describedInstant("When publishing was put on hold.")
})

const IntegrationDisconnected = event("integration.disconnected", {
  integration_id: IntegrationId.annotateKey({ description: "The account's id." }),
  platform: Platform,
  reason: Schema.String.annotateKey({ description: "The platform's explanation." })
})

const IntegrationExpiring = event("integration.expiring", {
  integration_id: IntegrationId.annotateKey({ description: "The account's id." }),
  platform: Platform,
  access_until: describedInstant("When the access ends."),
  days: Schema.Literals([7, 1]).annotateKey({
    description: "The days before the end at which this notification was due."
  })
})

const WebhookDisabled = event("webhook.disabled", {
  webhook_id: WebhookId.annotateKey({ description: "The webhook's id." }),
  reason: Schema.Literals(["gone", "failing"]).annotateKey({
    description: "`gone`: it responded with 410. `failing`: every delivery of five days failed."
  })
})

const ChannelDisabled = event("channel.disabled", {
  channel_id: ChannelId.annotateKey({ description: "The channel's id." })
})

const outlookCount = (description: string) => Schema.Int.annotateKey({ description })

const OutlookChecked = event("outlook.checked", {
  until: describedInstant("The end of the window; it begins with the notification."),
  posts: outlookCount("The posts in the window."),
  fine: outlookCount("Those that go out as planned."),
  need_you: outlookCount("Those that need somebody."),
  unchecked: outlookCount("Those of which something could not be checked."),
  findings: Schema.Array(
    Schema.Struct({
      post_id,
      code: Schema.String.annotateKey({ description: "The kind of finding, as in an outlook." }),
      level: Schema.Literals(findingLevels).annotateKey({ description: "Whether somebody has to act." })
    })
  ).annotateKey({ description: `The first ${maxToldFindings} findings. \`GET /v1/outlook\` has all of them.` })
})

export const NotificationEvent = Schema.Union([
  PostPublished,
  PostFailed,
  PostUnconfirmed,
  PostApprovalRequested,
  DraftOverdue,
  PublishingHeld,
  IntegrationDisconnected,
  IntegrationExpiring,
  WebhookDisabled,
  ChannelDisabled,
  OutlookChecked
])
export type NotificationEvent = typeof NotificationEvent.Type

/** `attention`: a person may have to act. */
export const NotificationLevel = Schema.Literals(["attention", "info"])
export type NotificationLevel = typeof NotificationLevel.Type

/** Only this many of the latest notifications are searched for unread ones. */
export const maxUnreadSearched = 5_000

/** The only type that needs no action. An unknown type might need one. */
export const informative = "post.published" satisfies NotificationEvent["type"]

const knownTypes: ReadonlySet<string> = new Set(
  NotificationEvent.members.map(({ fields }) => fields.type.schema.literal)
)

const isOther = Schema.makeFilter((type: string) => !knownTypes.has(type), { expected: "another type" })

/** A type unknown to this version: stored by a later version, or newer than the reader's contract. */
const OtherEvent = {
  type: Schema.String.check(isOther).annotateKey({ description: "A type of event that the other schemas don't have." }),
  metadata: Schema.Record(Schema.String, Schema.Json).annotateKey({ description: "The details." })
}

const common = {
  id: NotificationId.annotateKey({
    description: "A UUIDv7 assigned by the service, so notifications sort by creation time."
  }),
  title: Schema.String.annotateKey({ description: "A short heading." }),
  message: Schema.String.annotateKey({ description: "The full text." }),
  level: NotificationLevel.annotateKey({
    description: "`attention`: a person may have to act. `info`: nobody has to."
  }),
  read: Schema.Boolean.annotateKey({
    description:
      "With an API key: whether any member has read it. With a session: whether you have read it, or it happened before you joined. " +
      "Types that you have muted in your profile count as read. So do settled notifications: a request for approval that was decided, replaced, or voided by a change of the post; a failure of a post that was published " +
      "after all; an unconfirmed post whose outcome is known; the passed time of a draft that now has another time or is no longer a draft (unless the notification counts several drafts); any request about a deleted post; " +
      "a hold that has ended; and a check of posts in which everything was fine, or whose window has passed."
  }),
  action_url: Schema.NullOr(Schema.String).annotateKey({
    description: "The dashboard page to open; null without one."
  }),
  created_at: describedInstant("When the event happened.")
}

export const NotificationTexts = Schema.Struct(common)

const sampleNotification = {
  id: sample.notificationId,
  message: "Our new release is out.",
  level: "attention",
  read: false,
  action_url: `/posts/${sample.postId}`,
  created_at: "2030-01-31T09:00:01.120Z"
} as const

const failure = {
  platform: sample.platform,
  code: "rejected",
  message: `${sample.platformName} rejected the text as a duplicate`
} as const

export const notificationExamples = {
  published: {
    ...sampleNotification,
    level: "info",
    title: `Published on ${namePlatforms(sample.platforms)}`,
    type: "post.published",
    metadata: { post_id: sample.postId, platforms: sample.platforms }
  },
  failed: {
    ...sampleNotification,
    title: `Not published on ${sample.platformName}`,
    message: `“Our new release is out.” – ${failure.message}`,
    type: "post.failed",
    metadata: { post_id: sample.postId, platform: failure.platform, code: failure.code, failures: [failure] }
  },
  approval: {
    ...sampleNotification,
    title: "A post waits for approval",
    type: "post.approval_requested",
    metadata: { post_id: sample.postId, scheduled_at: "2030-01-31T09:00:00.000Z" }
  },
  overdue: {
    ...sampleNotification,
    title: "A draft's time has passed",
    message: "“Our new release is out.” was not published, as it is still a draft: give it another time, or publish it",
    type: "post.draft_overdue",
    metadata: { post_id: sample.postId, scheduled_at: "2030-01-31T09:00:00.000Z" }
  },
  held: {
    ...sampleNotification,
    title: "Publishing is on hold",
    message:
      "The database was restored from a backup, so nothing is published until an administrator of the service resumes publishing. Check which posts fall due in the meantime.",
    action_url: "/posts?status=scheduled",
    type: "publishing.held",
    metadata: { held_since: "2030-01-31T09:00:00.000Z" }
  },
  disconnected: {
    ...sampleNotification,
    title: `Connect ${sample.otherName} again`,
    message: "The account acme.example no longer accepts posts: the app password was revoked",
    action_url: "/accounts",
    type: "integration.disconnected",
    metadata: {
      integration_id: sample.integrationId,
      platform: sample.otherPlatform,
      reason: "the app password was revoked"
    }
  },
  unconfirmed: {
    ...sampleNotification,
    title: `Not confirmed by ${sample.reviewName} yet`,
    message: `“Our new release is out.”, as acme – ${sample.reviewName} has not published this post yet, and may still do so within a day`,
    type: "post.unconfirmed",
    metadata: { post_id: sample.postId, platform: sample.reviewPlatform, integration_id: sample.integrationId }
  },
  expiring: {
    ...sampleNotification,
    title: `Connect ${sample.otherName} again within 7 days`,
    message:
      "The access to acme.example ends on 2030-02-07. Posts after that will fail unless the account is connected again",
    action_url: "/accounts",
    type: "integration.expiring",
    metadata: {
      integration_id: sample.integrationId,
      platform: sample.otherPlatform,
      access_until: "2030-02-07T09:00:00.000Z",
      days: 7
    }
  },
  webhook: {
    ...sampleNotification,
    title: "A webhook was disabled",
    message: "hooks.example gets no more events: every delivery of five days failed",
    action_url: "/settings/webhooks",
    type: "webhook.disabled",
    metadata: { webhook_id: sample.webhookId, reason: "failing" }
  },
  channel: {
    ...sampleNotification,
    title: "A channel gets no more notifications",
    message: "Slack says that the URL of #social does not exist any more: give the channel another one",
    action_url: "/settings/chat",
    type: "channel.disabled",
    metadata: { channel_id: sample.channelId }
  },
  outlook: {
    ...sampleNotification,
    title: "6 posts until tomorrow night: 5 are fine, 1 needs you",
    message: `Thu 09:00 “Our new release is out.”: ${sample.otherName} no longer accepts the account @acme.example. Connect the account again.`,
    action_url: "/upcoming",
    type: "outlook.checked",
    metadata: {
      until: "2030-02-01T21:00:00.000Z",
      posts: 6,
      fine: 5,
      need_you: 1,
      unchecked: 0,
      findings: [{ post_id: sample.postId, code: "account_lost", level: "needs_you" }]
    }
  },
  other: {
    ...sampleNotification,
    title: "A later kind of event",
    type: "post.example",
    metadata: { post_id: sample.postId }
  }
} as const

export const Notification = Schema.Union([
  Schema.Struct({ ...common, ...PostPublished.fields })
    .annotate({ identifier: "PostPublished", description: "A post was published on all of its platforms." })
    .pipe(Schema.annotateEncoded({ examples: [notificationExamples.published] })),
  Schema.Struct({ ...common, ...PostFailed.fields })
    .annotate({ identifier: "PostFailed", description: "Publishing a post failed on at least one platform." })
    .pipe(Schema.annotateEncoded({ examples: [notificationExamples.failed] })),
  Schema.Struct({ ...common, ...PostApprovalRequested.fields })
    .annotate({
      identifier: "PostApprovalRequested",
      description:
        "A post needs approval: it was created or changed with an API key that requires it. The post stays a draft until a person, or a key that requires no approval, schedules it."
    })
    .pipe(Schema.annotateEncoded({ examples: [notificationExamples.approval] })),
  Schema.Struct({ ...common, ...PostUnconfirmed.fields })
    .annotate({
      identifier: "PostUnconfirmed",
      description:
        "A platform has not said for 20 minutes whether a post is published there, and only time can tell. The service asks until it is certain, so nobody has to act; the post must not be published again by other means."
    })
    .pipe(Schema.annotateEncoded({ examples: [notificationExamples.unconfirmed] })),
  Schema.Struct({ ...common, ...DraftOverdue.fields })
    .annotate({
      identifier: "DraftOverdue",
      description:
        "The time of a draft passed more than five minutes ago, so it needs another time to be published, whether or not it waits for approval. Sent once for each time of a draft; if the times of many have passed, one notification counts them."
    })
    .pipe(Schema.annotateEncoded({ examples: [notificationExamples.overdue] })),
  Schema.Struct({ ...common, ...PublishingHeld.fields })
    .annotate({
      identifier: "PublishingHeld",
      description:
        "The database was restored, and nothing is published until an administrator of the service resumes publishing."
    })
    .pipe(Schema.annotateEncoded({ examples: [notificationExamples.held] })),
  Schema.Struct({ ...common, ...IntegrationDisconnected.fields })
    .annotate({
      identifier: "IntegrationDisconnected",
      description:
        "A platform rejected an account's credentials, or the account has not allowed media; it has to be connected again, and the message says what still works until then."
    })
    .pipe(Schema.annotateEncoded({ examples: [notificationExamples.disconnected] })),
  Schema.Struct({ ...common, ...IntegrationExpiring.fields })
    .annotate({
      identifier: "IntegrationExpiring",
      description:
        "The access to an account ends soon, and the platform can't renew it: a person has to connect the account again. Sent 7 days and 1 day before the end."
    })
    .pipe(Schema.annotateEncoded({ examples: [notificationExamples.expiring] })),
  Schema.Struct({ ...common, ...WebhookDisabled.fields })
    .annotate({
      identifier: "WebhookDisabled",
      description:
        "A webhook failed for too long, or responded that it is gone; events are sent to it once it is enabled again."
    })
    .pipe(Schema.annotateEncoded({ examples: [notificationExamples.webhook] })),
  Schema.Struct({ ...common, ...ChannelDisabled.fields })
    .annotate({
      identifier: "ChannelDisabled",
      description:
        "A chat program said that a channel's URL does not exist any more; notifications are sent there once the channel has another URL."
    })
    .pipe(Schema.annotateEncoded({ examples: [notificationExamples.channel] })),
  Schema.Struct({ ...common, ...OutlookChecked.fields })
    .annotate({
      identifier: "OutlookChecked",
      description:
        "The posts that are due soon were checked, once a day. Sent only if something was found, unless the workspace wants to be told every day."
    })
    .pipe(Schema.annotateEncoded({ examples: [notificationExamples.outlook] })),
  Schema.Struct({ ...common, ...OtherEvent })
    .annotate({
      identifier: "OtherNotification",
      description: "An event of a type that may be added later; show its `title` and `message`."
    })
    .pipe(Schema.annotateEncoded({ examples: [notificationExamples.other] }))
])
  .annotate({
    identifier: "Notification",
    description: "An event in the workspace; `type` determines the members of `metadata`."
  })
  .pipe(Schema.annotateEncoded({ examples: [notificationExamples.published] }))
export type Notification = typeof Notification.Type
