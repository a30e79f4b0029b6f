import type { DateTime } from "effect"
import { planContent } from "../domain/mail/deliveredContent.ts"
import { mailSettingsPath } from "../domain/mail/mailLinks.ts"
import { digestType, stillGets } from "../domain/mail/mailPreferences.ts"
import type { MailClaim } from "../repo/notifications/Deliveries.ts"
import type { Mail } from "./Mailer.ts"
import { subjectLine } from "./subjectLine.ts"
import { renderMail } from "./template.ts"

export interface MailPlaces {
  readonly baseUrl: string
  readonly unsubscribeUrl: string
  /** The domain of Message-IDs. */
  readonly domain: string
}

export type PlannedMail =
  | { readonly _tag: "Send"; readonly mail: Mail }
  | { readonly _tag: "Drop"; readonly reason: string }

/** Decides about a delivery with what is known when it is sent. */
export const planMail = (
  claim: MailClaim,
  { baseUrl, domain, unsubscribeUrl }: MailPlaces,
  now: DateTime.Utc
): PlannedMail => {
  const planned = planContent(claim, {
    baseUrl,
    wants: (type) => stillGets(claim, type, now),
    unwanted: "The person has turned this off"
  })
  if (planned._tag === "Drop") return planned
  const { action, countOthers, heading, items, subject } = planned.content
  const isDigest = claim.type === digestType
  return {
    _tag: "Send",
    mail: {
      messageId: `notification.${claim.id}@${domain}`,
      to: claim.email,
      subject: subjectLine(`${claim.workspaceName}: ${subject}`),
      ...renderMail({
        workspaceName: claim.workspaceName,
        heading,
        items,
        note: countOthers(items.length),
        action,
        footer: `You get this ${isDigest ? "daily summary" : "mail"} as a member of ${claim.workspaceName}.`,
        links: [
          { label: "Choose what you get by mail", url: `${baseUrl}${mailSettingsPath}` },
          { label: isDigest ? "Turn off the daily summary" : "Turn off mail like this", url: unsubscribeUrl }
        ]
      }),
      unsubscribeUrl
    }
  }
}
