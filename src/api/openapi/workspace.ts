import type { Integration as IntegrationSchema } from "../../domain/integration.ts"
import type { Notification as NotificationSchema } from "../../domain/notification.ts"
import type { Dictionary } from "./dictionary.ts"
import { cursor, integrationId, notificationId, postId } from "./samples.ts"

const integration = {
  id: integrationId,
  platform: "bluesky",
  username: "acme.example",
  display_name: "Acme",
  avatar_url: "https://cdn.bsky.app/img/avatar/plain/did:plc:acme/avatar",
  status: "connected",
  created_at: "2030-01-02T08:15:30.250Z"
} satisfies typeof IntegrationSchema.Encoded

const common = {
  id: notificationId,
  message: "Our new release is out.",
  read: false,
  action_url: `/posts/${postId}`,
  created_at: "2030-01-31T09:00:01.120Z"
}

const published = {
  ...common,
  title: "Published on X and Bluesky",
  type: "post.published",
  metadata: { post_id: postId, platforms: ["twitter", "bluesky"] }
} satisfies typeof NotificationSchema.Encoded

const failure = { platform: "twitter", code: "rejected", message: "X refuses a text that it has already" } as const

const failed = {
  ...common,
  title: "Not published on X",
  message: `“Our new release is out.” – X: ${failure.message}`,
  type: "post.failed",
  metadata: { post_id: postId, platform: failure.platform, code: failure.code, failures: [failure] }
} satisfies typeof NotificationSchema.Encoded

const approval = {
  ...common,
  title: "A post waits for approval",
  type: "post.approval_requested",
  metadata: { post_id: postId, scheduled_at: "2030-01-31T09:00:00.000Z" }
} satisfies typeof NotificationSchema.Encoded

const disconnected = {
  ...common,
  title: "Connect Bluesky again",
  message: "The account acme.example no longer takes posts: the app password was revoked",
  action_url: "/integrations",
  type: "integration.disconnected",
  metadata: { integration_id: integrationId, platform: "bluesky", reason: "the app password was revoked" }
} satisfies typeof NotificationSchema.Encoded

const notification = {
  id: "Made by the service: a UUID of version 7, so that notifications sort by the time they were made.",
  created_at: "When it happened.",
  title: "A short heading.",
  message: "The same at more length.",
  read: "Whether it has been read: by anyone, where you ask with a key; by you, where you ask with a session.",
  action_url: "Where in the dashboard it leads; null where nowhere.",
  type: "What happened.",
  metadata: "What it happened to.",
  "metadata.post_id": "The post's id.",
  "metadata.integration_id": "The account's id."
}

/** What the reference says of integrations and notifications. */
export const workspace: Dictionary = {
  Integration: {
    description: "An account that the workspace has connected on a platform; one on each at most.",
    members: {
      id: "Stays the same when the account is connected again.",
      created_at: "When it was connected first.",
      username: "What the account is called on its platform: a handle, without an `@`.",
      display_name: "The name that its platform shows; null where it has none.",
      avatar_url: "Its picture; null where it has none.",
      status:
        "`needs_reconnect` once the platform has refused the stored credentials: nothing is posted until it is connected again."
    },
    examples: { connected: integration }
  },
  IntegrationList: {
    description: "The connected accounts, newest first.",
    members: { data: "The accounts." },
    examples: { list: { data: [integration] } }
  },
  Notification: {
    description: "Something that happened. `type` says what, and with it what `metadata` has.",
    examples: { published }
  },
  PostPublished: {
    description: "A post is out on all of its platforms.",
    members: { ...notification, "metadata.platforms": "Where it is out." },
    examples: { published }
  },
  PostFailed: {
    description: "A post did not get out on at least one of its platforms.",
    members: {
      ...notification,
      "metadata.code": "Why, on that platform; as a target's `error.code`.",
      "metadata.failures": "All that failed, the first one included.",
      "metadata.failures.code": "Why; as a target's `error.code`.",
      "metadata.failures.message": "The same in words."
    },
    examples: { failed }
  },
  PostApprovalRequested: {
    description: "A key that requires approval wants a post scheduled; it is a draft until a person schedules it.",
    members: { ...notification, "metadata.scheduled_at": "The time that it is meant for; null where it has none." },
    examples: { approval }
  },
  IntegrationDisconnected: {
    description: "A platform has refused an account's credentials; it has to be connected again.",
    members: { ...notification, "metadata.reason": "What the platform said." },
    examples: { disconnected }
  },
  NotificationPage: {
    description: "With a key: a page of notifications, newest first.",
    members: {
      data: "The notifications; `read` is whether any member has read it.",
      total: "How many there are on all pages.",
      page: "Which page this is, counted from 0.",
      limit: "How many a page has at most.",
      hasMore: "Whether there is another page after this one."
    },
    examples: { page: { data: [published, failed], total: 2, page: 0, limit: 50, hasMore: false } }
  },
  OwnNotificationPage: {
    description: "With a session: notifications, newest first.",
    members: {
      data: "The notifications; `read` is whether the session's user has read it.",
      next_cursor: "What `cursor` has to be for the next page; null on the last one.",
      hasMore: "Whether there is another page after this one."
    },
    examples: { ownPage: { data: [published], next_cursor: cursor, hasMore: true } }
  },
  OneNotification: {
    description: "The notification, which has been read now.",
    examples: { read: { data: { ...published, read: true } } }
  },
  ReadNotifications: {
    description: "All notifications have been read now.",
    members: { data: "What was changed.", "data.updated": "How many had not been read before." },
    examples: { updated: { data: { updated: 3 } } }
  }
}
