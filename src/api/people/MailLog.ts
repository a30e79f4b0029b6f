import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NotificationDeliveryId, UserId } from "../../domain/ids.ts"
import { describedInstant } from "../../domain/instant.ts"
import { defaultMailLimit, MailStatus } from "../../domain/mail/mailDelivery.ts"
import { mailDeliveryId, userId } from "../../domain/samples.ts"
import { AdminAuthorization } from "../Authorization.ts"
import { Authentication } from "../Authentication.ts"
import { pageOf } from "../data.ts"
import { examples } from "../examples.ts"
import { CheckedInput } from "../input.ts"
import { adminOperation } from "../operation.ts"
import { cursorParameter, limitParameter, MailCursor } from "../pagination.ts"
import { shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"

const deliveryExample = {
  id: mailDeliveryId,
  user_id: userId,
  email: "ada@acme.example",
  type: "post.failed",
  count: 3,
  status: "failed",
  attempts: 6,
  error: "The mail server answered: 451 Try again later",
  created_at: "2030-01-31T09:00:01.120Z",
  next_attempt_at: null,
  ended_at: "2030-01-31T17:36:12.480Z"
} as const

const MailDelivery = Schema.Struct({
  id: NotificationDeliveryId.annotateKey({ description: "The delivery's id, which is part of its `Message-ID`." }),
  user_id: UserId.annotateKey({ description: "The member who gets it." }),
  email: Schema.String.annotateKey({ description: "The member's address." }),
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
})
  .annotate({ identifier: "MailDelivery", description: "One message to one member." })
  .pipe(Schema.annotateEncoded({ examples: [deliveryExample] }))

export const MailDeliveryPage = pageOf(MailDelivery, "The deliveries.", MailCursor)
  .annotate({ identifier: "MailDeliveryPage", description: "A page of the log of mail, newest first." })
  .pipe(examples({ page: { data: [deliveryExample], next_cursor: null } }))

const OneMailDelivery = Schema.Struct({ data: MailDelivery })
  .annotate({ identifier: "OneMailDelivery", description: "The delivery, which is queued." })
  .pipe(
    examples({
      queued: {
        data: {
          ...deliveryExample,
          status: "pending",
          attempts: 0,
          error: null,
          next_attempt_at: "2030-01-31T18:00:00.000Z",
          ended_at: null
        }
      }
    })
  )

const list = HttpApiEndpoint.get("list", "/deliveries", {
  query: {
    status: Schema.optionalKey(MailStatus),
    limit: limitParameter("deliveries", 200, defaultMailLimit),
    cursor: cursorParameter(MailCursor)
  },
  success: MailDeliveryPage
})
  .annotateMerge(
    adminOperation({
      id: "listMail",
      summary: "List mail",
      description: "Lists what was mailed to members, or waits, in the last 30 days, newest first."
    })
  )
  .middleware(CheckedInput)

const resend = HttpApiEndpoint.post("resend", "/deliveries/:id/resend", {
  params: {
    id: NotificationDeliveryId.annotateKey({
      description: "The delivery's id.",
      examples: [NotificationDeliveryId.make(mailDeliveryId)]
    })
  },
  success: OneMailDelivery.pipe(HttpApiSchema.status(202)),
  error: [shown.NotFound, shown.InvalidState]
})
  .annotateMerge(
    adminOperation({
      id: "resendMail",
      summary: "Send mail again",
      description:
        "Queues a delivery that has ended as a new one, with an id and attempts of its own. Notifications that are settled by then are left out. Fails with `invalid_state` while the delivery is pending."
    })
  )
  .middleware(CheckedInput)

export class MailGroup extends HttpApiGroup.make("mail")
  .add(list, resend)
  .middleware(AdminAuthorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/mail")
  .annotateMerge(
    OpenApi.annotations({ title: "Mail", description: "What was mailed to the members of the workspace." })
  ) {}
