import { Schema } from "effect"
import { NotificationDeliveryId } from "../domain/ids.ts"
import { describedInstant } from "../domain/instant.ts"
import { MailStatus } from "../domain/mail/mailDelivery.ts"
import { mailDeliveryId } from "../domain/samples.ts"

/** The members that the logs of mail and of channels share. */
export const deliveryFields = {
  type: Schema.String.annotateKey({ description: "The type of its notifications, or `digest` for a daily summary." }),
  count: Schema.Int.annotateKey({ description: "How many notifications it is about." }),
  status: MailStatus,
  attempts: Schema.Int.annotateKey({ description: "How often it was tried to send it." }),
  error: Schema.NullOr(Schema.String).annotateKey({
    description: "Why the last attempt failed, or why it was dropped; null without a reason."
  }),
  created_at: describedInstant("When its first notification was queued."),
  next_attempt_at: Schema.NullOr(describedInstant("The time of the next attempt.")).annotateKey({
    description: "When it is sent, or tried again; null once it has ended."
  }),
  ended_at: Schema.NullOr(describedInstant("The time of its end.")).annotateKey({
    description: "When it was sent, given up or dropped; null until then."
  })
}

export const failedDelivery = {
  id: mailDeliveryId,
  type: "post.failed",
  count: 3,
  status: "failed",
  attempts: 6,
  error: "The mail server answered: 451 Try again later",
  created_at: "2030-01-31T09:00:01.120Z",
  next_attempt_at: null,
  ended_at: "2030-01-31T17:36:12.480Z"
} as const

/** The changes of an example that is queued again. */
export const queuedAgain = {
  status: "pending",
  attempts: 0,
  error: null,
  next_attempt_at: "2030-01-31T18:00:00.000Z",
  ended_at: null
} as const

export const deliveryIdParameter = NotificationDeliveryId.annotateKey({
  description: "The delivery's id.",
  examples: [NotificationDeliveryId.make(mailDeliveryId)]
})
