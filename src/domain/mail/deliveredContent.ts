import { Schema } from "effect"
import { counted } from "../counted.ts"

const DeliveredNotification = Schema.Struct({
  type: Schema.String,
  title: Schema.String,
  message: Schema.String,
  actionUrl: Schema.NullOr(Schema.String),
  /** More than one if the notification counts several posts. */
  count: Schema.Int
})

/** The notifications that a delivery is about, as they are when it is sent. */
export const DeliveredNotifications = {
  /** Their type, or `digest`. */
  type: Schema.String,
  /** All notifications, of which the first are listed. */
  count: Schema.Int,
  /** The oldest first, without those whose matter is settled. */
  notifications: Schema.Array(DeliveredNotification),
  /** Listed notifications that were deleted, or whose matter is settled. */
  missing: Schema.Int
}
type DeliveredNotifications = Schema.Struct<typeof DeliveredNotifications>["Type"]

/** The headings of several notifications of a type, after their count. */
const summaries: Readonly<Record<string, readonly [one: string, many: string]>> = {
  "post.failed": ["post was not published", "posts were not published"],
  "post.unconfirmed": ["post is not confirmed yet", "posts are not confirmed yet"],
  "post.approval_requested": ["post waits for approval", "posts wait for approval"],
  "post.draft_overdue": ["draft's time has passed", "drafts' times have passed"],
  "post.published": ["post was published", "posts were published"],
  "integration.disconnected": ["account has to be connected again", "accounts have to be connected again"],
  "integration.expiring": ["account's access ends soon", "accounts' access ends soon"],
  "webhook.disabled": ["webhook was disabled", "webhooks were disabled"],
  "channel.disabled": ["channel gets no more notifications", "channels get no more notifications"],
  "outlook.checked": ["check of what is due soon", "checks of what is due soon"]
}

const summarize = (type: string, count: number): string => {
  const [one, many] = summaries[type] ?? ["notification", "notifications"]
  return counted(count, one, many)
}

/** The page of all notifications. */
const inbox = "/notifications"

const actionLabel = (type: string): string => {
  switch (type) {
    case "post.approval_requested":
      return "Review the post"
    case "integration.disconnected":
    case "integration.expiring":
      return "Open accounts"
    case "webhook.disabled":
      return "Open webhooks"
    case "channel.disabled":
      return "Open channels"
    case "outlook.checked":
      return "Open what is due"
    default:
      return type.startsWith("post.") ? "Open the post" : "Open the dashboard"
  }
}

/** The words of a message, by mail or in a chat. */
export interface DeliveredContent {
  readonly heading: string
  /** The heading, and the matter of a single notification. */
  readonly subject: string
  readonly items: ReadonlyArray<{
    readonly title: string
    readonly message: string
    /** The message in lines. A line break from elsewhere begins none. */
    readonly lines: ReadonlyArray<string>
    /** Null without a page. */
    readonly url: string | null
  }>
  /** Says how many notifications are not shown, if the first `shown` items are; null if there are none. */
  readonly countOthers: (shown: number) => string | null
  readonly action: { readonly label: string; readonly url: string }
}

export type PlannedContent =
  | { readonly _tag: "Send"; readonly content: DeliveredContent }
  | { readonly _tag: "Drop"; readonly reason: string }

const drop = (reason: string): PlannedContent => ({ _tag: "Drop", reason })

/** Decides about a delivery with what is known when it is sent. `wants` says if the receiver still gets a type. */
export const planContent = (
  { count, missing, notifications, type }: DeliveredNotifications,
  {
    baseUrl,
    unwanted,
    wants
  }: {
    readonly baseUrl: string
    readonly wants: (type: string) => boolean
    /** Why nothing is sent if the receiver wants none of it. */
    readonly unwanted: string
  }
): PlannedContent => {
  const listed = notifications.filter((each) => wants(each.type))
  const [first] = listed
  if (first === undefined) {
    return drop(notifications.length > 0 ? unwanted : "Everything in it was settled before it was sent")
  }
  const others = Math.max(0, count - missing - notifications.length)
  const isSingle = listed.length === 1 && others === 0
  const amountOf = (some: typeof listed) => some.reduce((sum, each) => sum + each.count, 0)
  const heading = isSingle ? first.title : summarize(type, others + amountOf(listed))
  const page = (path: string | null) => (path === null ? null : `${baseUrl}${path}`)
  return {
    _tag: "Send",
    content: {
      heading,
      subject: isSingle ? `${first.title} – ${first.message}` : heading,
      items: listed.map(({ actionUrl, message, title, type: own }) => ({
        title,
        message,
        lines: own === "outlook.checked" ? message.split("\n") : [message],
        url: page(actionUrl)
      })),
      countOthers: (shown) => {
        const hidden = others + listed.length - shown
        return hidden === 0 ? null : `And ${counted(hidden, "other notification")}.`
      },
      action: isSingle
        ? { label: actionLabel(first.type), url: page(first.actionUrl) ?? `${baseUrl}${inbox}` }
        : { label: "Open notifications", url: `${baseUrl}${inbox}` }
    }
  }
}
