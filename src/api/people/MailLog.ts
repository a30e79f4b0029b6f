import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NotificationDeliveryId, UserId } from "../../domain/ids.ts"
import { defaultMailLimit, MailStatus } from "../../domain/mail/mailDelivery.ts"
import { userId } from "../../domain/samples.ts"
import { AdminAuthorization } from "../Authorization.ts"
import { Authentication } from "../Authentication.ts"
import { pageOf } from "../data.ts"
import { deliveryFields, deliveryIdParameter, failedDelivery, queuedAgain } from "../deliveryFields.ts"
import { examples } from "../examples.ts"
import { CheckedInput } from "../input.ts"
import { adminOperation } from "../operation.ts"
import { cursorParameter, limitParameter, MailCursor } from "../pagination.ts"
import { shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"

const deliveryExample = { ...failedDelivery, user_id: userId, email: "ada@acme.example" } as const

const MailDelivery = Schema.Struct({
  id: NotificationDeliveryId.annotateKey({ description: "The delivery's id, which is part of its `Message-ID`." }),
  user_id: UserId.annotateKey({ description: "The member who gets it." }),
  email: Schema.String.annotateKey({ description: "The member's address." }),
  ...deliveryFields
})
  .annotate({ identifier: "MailDelivery", description: "One message to one member." })
  .pipe(Schema.annotateEncoded({ examples: [deliveryExample] }))

export const MailDeliveryPage = pageOf(MailDelivery, "The deliveries.", MailCursor)
  .annotate({ identifier: "MailDeliveryPage", description: "A page of the log of mail, newest first." })
  .pipe(examples({ page: { data: [deliveryExample], next_cursor: null } }))

const OneMailDelivery = Schema.Struct({ data: MailDelivery })
  .annotate({ identifier: "OneMailDelivery", description: "The delivery, which is queued." })
  .pipe(examples({ queued: { data: { ...deliveryExample, ...queuedAgain } } }))

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
      description:
        "Lists what was mailed to members, or waits, in the last 30 days, newest first. The messages to a member leave the list with the member."
    })
  )
  .middleware(CheckedInput)

const resend = HttpApiEndpoint.post("resend", "/deliveries/:id/resend", {
  params: { id: deliveryIdParameter },
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
