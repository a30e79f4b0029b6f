import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotificationId } from "../domain/ids.ts"
import { maxUnreadSearched, Notification, notificationExamples, NotificationLevel } from "../domain/notification.ts"
import { notificationId } from "../domain/samples.ts"
import { Authentication } from "./Authentication.ts"
import { Authorization, SessionAuthorization } from "./Authorization.ts"
import { dataOf, pageOf } from "./data.ts"
import { examples } from "./examples.ts"
import { CheckedInput } from "./input.ts"
import { operation, sessionOperation } from "./operation.ts"
import { cursorParameter, NotificationCursor, sampleCursor, wholeNumber } from "./pagination.ts"
import { shown } from "./problems.ts"
import { RateLimit } from "./RateLimit.ts"

export const defaultKeyLimit = 50
export const defaultSessionLimit = 30

const hasMore = Schema.Boolean.annotateKey({ description: "Whether there is another page." })

const { published, failed } = notificationExamples

const KeyPage = Schema.Struct({
  data: Schema.Array(Notification).annotateKey({
    description: "The notifications; `read` is whether any member has read it."
  }),
  total: Schema.Int.annotateKey({ description: "The number of notifications on all pages." }),
  page: Schema.Int.annotateKey({ description: "The number of this page, from 0." }),
  limit: Schema.Int.annotateKey({ description: "The maximum number of notifications on a page." }),
  hasMore
})
  .annotate({ identifier: "NotificationPage", description: "With an API key: a page of notifications, newest first." })
  .pipe(examples({ page: { data: [published, failed], total: 2, page: 0, limit: 50, hasMore: false } }))

const SessionPage = Schema.Struct({
  ...pageOf(Notification, "The notifications; `read` is whether the session's user has read it.", NotificationCursor)
    .fields,
  hasMore
})
  .annotate({
    identifier: "OwnNotificationPage",
    description: "With a session: a page of notifications, newest first."
  })
  .pipe(examples({ ownPage: { data: [published], next_cursor: sampleCursor, hasMore: true } }))

const list = HttpApiEndpoint.get("list", "/", {
  query: {
    level: Schema.optionalKey(
      NotificationLevel.annotateKey({ description: "Only notifications of this level; all of them by default." })
    ),
    unread: Schema.optionalKey(Schema.Literals(["true", "false"])).annotateKey({
      description: `\`true\`: only notifications whose \`read\` is false, among the latest ${maxUnreadSearched.toLocaleString("en")}; all of them by default.`
    }),
    page: wholeNumber({
      description: "With an API key only: the number of the page, from 0.",
      minimum: 0,
      maximum: 1_000_000,
      default: 0
    }),
    limit: wholeNumber({
      description: `The maximum number of notifications to return; with a session the default is ${defaultSessionLimit}.`,
      minimum: 1,
      maximum: 100,
      default: defaultKeyLimit
    }),
    cursor: cursorParameter(NotificationCursor, "With a session only: the `next_cursor` of the previous page.")
  },
  success: [KeyPage, SessionPage],
  error: shown.InvalidRequest
})
  .annotateMerge(
    operation({
      id: "listNotifications",
      scope: "notifications:read",
      summary: "List notifications",
      description:
        "Lists the events in the workspace, newest first. With an API key: pages have numbers, and `read` is whether any member has " +
        "read the notification. With a session: pages have cursors, and `read` is whether the session's user has read it."
    })
  )
  .middleware(CheckedInput)
  .middleware(Authorization)

const OneNotification = Schema.Struct({ data: Notification })
  .annotate({ identifier: "OneNotification", description: "The notification, which is now read." })
  .pipe(examples({ read: { data: { ...published, read: true } } }))

const read = HttpApiEndpoint.post("read", "/:id/read", {
  params: {
    id: NotificationId.annotateKey({
      description: "The notification's id.",
      examples: [NotificationId.make(notificationId)]
    })
  },
  success: OneNotification,
  error: shown.NotFound
})
  .annotateMerge(
    sessionOperation({
      id: "readNotification",
      summary: "Mark a notification as read",
      description: "Marks a notification as read by the session's user. Idempotent."
    })
  )
  .middleware(CheckedInput)
  .middleware(SessionAuthorization)

const ReadNotifications = dataOf("The change.", {
  updated: Schema.Int.annotateKey({ description: "The number of notifications that were unread." })
})
  .annotate({ identifier: "ReadNotifications", description: "All notifications are now read." })
  .pipe(examples({ updated: { data: { updated: 3 } } }))

const readAll = HttpApiEndpoint.post("readAll", "/read-all", { success: ReadNotifications })
  .annotateMerge(
    sessionOperation({
      id: "readAllNotifications",
      summary: "Mark all notifications as read",
      description: "Marks all notifications as read by the session's user; returns how many were unread."
    })
  )
  .middleware(SessionAuthorization)

export class Notifications extends HttpApiGroup.make("notifications")
  .add(list, read, readAll)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/notifications")
  .annotateMerge(
    OpenApi.annotations({ title: "Notifications", description: "Events of the workspace's posts and accounts." })
  ) {}
