import { counted } from "../domain/counted.ts"
import { mailSettingsPath } from "../domain/mail/mailLinks.ts"
import { digestType, stillGets } from "../domain/mail/mailPreferences.ts"
import type { DateTime } from "effect"
import type { MailClaim, MailedNotification } from "../repo/notifications/Deliveries.ts"
import type { Mail } from "./Mailer.ts"
import { subjectLine } from "./subjectLine.ts"
import { renderMail } from "./template.ts"

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
    case "outlook.checked":
      return "Open what is due"
    default:
      return type.startsWith("post.") ? "Open the post" : "Open the dashboard"
  }
}

export interface MailPlaces {
  readonly baseUrl: string
  readonly unsubscribeUrl: string
  /** The domain of Message-IDs. */
  readonly domain: string
}

export type PlannedMail =
  | { readonly _tag: "Send"; readonly mail: Mail }
  | { readonly _tag: "Drop"; readonly reason: string }

const drop = (reason: string): PlannedMail => ({ _tag: "Drop", reason })

const stillWanted = (claim: MailClaim, now: DateTime.Utc): ReadonlyArray<MailedNotification> =>
  claim.notifications.filter(({ type }) => stillGets(claim, type, now))

/** Decides about a delivery with what is known when it is sent. */
export const planMail = (
  claim: MailClaim,
  { baseUrl, domain, unsubscribeUrl }: MailPlaces,
  now: DateTime.Utc
): PlannedMail => {
  const listed = stillWanted(claim, now)
  const [first] = listed
  if (first === undefined) {
    return drop(
      claim.notifications.length > 0
        ? "The person has turned this off"
        : "Everything in it was settled before it was sent"
    )
  }
  const others = Math.max(0, claim.count - claim.missing - claim.notifications.length)
  const total = others + listed.reduce((sum, { count }) => sum + count, 0)
  const isSingle = listed.length === 1 && others === 0
  const isDigest = claim.type === digestType
  const heading = isSingle ? first.title : summarize(claim.type, total)
  const page = (path: string | null) => (path === null ? null : `${baseUrl}${path}`)
  const action = isSingle
    ? { label: actionLabel(first.type), url: page(first.actionUrl) ?? `${baseUrl}${inbox}` }
    : { label: "Open notifications", url: `${baseUrl}${inbox}` }
  const content = renderMail({
    workspaceName: claim.workspaceName,
    heading,
    items: listed.map(({ actionUrl, message, title }) => ({ title, message, url: page(actionUrl) })),
    note: others === 0 ? null : `And ${counted(others, "other notification")}.`,
    action,
    footer: `You get this ${isDigest ? "daily summary" : "mail"} as a member of ${claim.workspaceName}.`,
    links: [
      { label: "Choose what you get by mail", url: `${baseUrl}${mailSettingsPath}` },
      { label: isDigest ? "Turn off the daily summary" : "Turn off mail like this", url: unsubscribeUrl }
    ]
  })
  const subject = isSingle ? `${first.title} – ${first.message}` : heading
  return {
    _tag: "Send",
    mail: {
      messageId: `notification.${claim.id}@${domain}`,
      to: claim.email,
      subject: subjectLine(`${claim.workspaceName}: ${subject}`),
      ...content,
      unsubscribeUrl
    }
  }
}
