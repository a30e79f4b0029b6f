import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotificationId } from "../domain/ids.ts"
import { Notification as DomainNotification } from "../domain/notification.ts"
import { Authentication } from "./Authentication.ts"
import { KeyOrSessionAuthorization, SessionAuthorization } from "./Authorization.ts"
import { NotificationCursor } from "./cursor.ts"
import { InvalidRequest, NotFound } from "./problems.ts"
import { CheckedInput } from "./input.ts"
import { keyOrSessionOperation, sessionOperation } from "./operation.ts"
import { RateLimit } from "./RateLimit.ts"
import { wholeNumber, wholeNumberParameter } from "./wholeNumber.ts"

/** How many notifications a page has with a key, unless it is asked for another number. */
export const defaultKeyLimit = 50
/** How many notifications a page has with a session, unless it is asked for another number. */
export const defaultSessionLimit = 30

const pageRange = { minimum: 0, maximum: 1_000_000 }
const limitRange = { minimum: 1, maximum: 100 }

const Notification = DomainNotification.annotate({ identifier: "Notification" })

const KeyPage = Schema.Struct({
  data: Schema.Array(Notification),
  total: Schema.Int,
  page: Schema.Int,
  limit: Schema.Int,
  hasMore: Schema.Boolean
}).annotate({ identifier: "NotificationPage" })

/** `next_cursor` is null on the last page. */
const SessionPage = Schema.Struct({
  data: Schema.Array(Notification),
  next_cursor: Schema.NullOr(NotificationCursor),
  hasMore: Schema.Boolean
}).annotate({ identifier: "OwnNotificationPage" })

const list = HttpApiEndpoint.get("list", "/", {
  query: {
    page: Schema.optionalKey(wholeNumber(pageRange)),
    limit: Schema.optionalKey(wholeNumber(limitRange)),
    cursor: Schema.optionalKey(NotificationCursor)
  },
  success: Schema.Union([KeyPage, SessionPage]),
  error: InvalidRequest
})
  .annotateMerge(
    keyOrSessionOperation({
      id: "listNotifications",
      scope: "notifications:read",
      summary: "List notifications",
      description:
        "What happened in the workspace, newest first. With a key: page by page by number, and a notification is `read` once any member " +
        "has read it. With a session: from cursor to cursor, and `read` is that user's own.",
      parameters: [
        wholeNumberParameter("page", "With a key only: which page, counted from 0", { ...pageRange, default: 0 }),
        wholeNumberParameter(
          "limit",
          `How many notifications a page has; with a session ${defaultSessionLimit} unless given`,
          { ...limitRange, default: defaultKeyLimit }
        ),
        {
          name: "cursor",
          in: "query",
          description:
            "With a session only: the `next_cursor` of the page before; null there means that it was the last one",
          schema: { type: "string" },
          required: false
        }
      ]
    })
  )
  .middleware(CheckedInput)
  .middleware(KeyOrSessionAuthorization)

const read = HttpApiEndpoint.post("read", "/:id/read", {
  params: { id: NotificationId },
  success: Schema.Struct({ data: Notification }).annotate({ identifier: "OneNotification" }),
  error: NotFound
})
  .annotateMerge(
    sessionOperation({
      id: "readNotification",
      summary: "Mark a notification as read",
      description: "Marks one notification as read by the user whose session it is; again changes nothing."
    })
  )
  .middleware(CheckedInput)
  .middleware(SessionAuthorization)

const readAll = HttpApiEndpoint.post("readAll", "/read-all", {
  success: Schema.Struct({ data: Schema.Struct({ updated: Schema.Int }) }).annotate({ identifier: "ReadNotifications" })
})
  .annotateMerge(
    sessionOperation({
      id: "readAllNotifications",
      summary: "Mark all notifications as read",
      description:
        "Marks every notification as read that the user whose session it is has not read yet; answers how many those were."
    })
  )
  .middleware(SessionAuthorization)

export class Notifications extends HttpApiGroup.make("notifications")
  .add(list, read, readAll)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/notifications")
  .annotateMerge(
    OpenApi.annotations({ title: "Notifications", description: "What happened to the workspace's posts and accounts." })
  ) {}
