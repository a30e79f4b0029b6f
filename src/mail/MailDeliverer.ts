import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { type MailResult, settleMail } from "../domain/mail/mailPolicy.ts"
import { mailOffPath } from "../domain/mail/mailLinks.ts"
import type { MailClaim } from "../repo/notifications/Deliveries.ts"
import { Repo } from "../repo/Repo.ts"
import type { Worker } from "../worker/makeWorker.ts"
import { Mailer } from "./Mailer.ts"
import { makeDeliveryWorker } from "./makeDeliveryWorker.ts"
import { planMail } from "./notificationMail.ts"
import { mailTelemetry } from "./telemetry.ts"

/** Longer than a message may take (smtp.ts), with a margin for writing its outcome. */
const lease = Duration.seconds(60)

const logFailure = (claim: MailClaim, result: MailResult) =>
  result._tag === "Failed"
    ? Effect.logWarning(`A message to a member was not sent. ${result.reason}`).pipe(
        Effect.annotateLogs({ workspace_id: claim.workspaceId, delivery_id: claim.id })
      )
    : Effect.void

/** Sends mail about notifications. A message that is sent twice has the same Message-ID. */
export class MailDeliverer extends Context.Service<MailDeliverer, Worker<DatabaseUnavailable>>()(
  "social-publisher/mail/MailDeliverer"
) {
  static readonly layer = ({ baseUrl }: { readonly baseUrl: string }) =>
    Layer.effect(
      MailDeliverer,
      Effect.gen(function* () {
        const { deliveries, mailPreferences } = yield* Repo
        const { domain, send } = yield* Mailer
        yield* mailTelemetry.initialize

        const attempt = Effect.fnUntraced(function* (claim: MailClaim) {
          const token = yield* mailPreferences.tokenFor({
            workspaceId: claim.workspaceId,
            userId: claim.userId,
            type: claim.type
          })
          const unsubscribeUrl = `${baseUrl}${mailOffPath}?token=${token}`
          const planned = planMail(claim, { baseUrl, domain, unsubscribeUrl }, yield* DateTime.now)
          if (planned._tag === "Drop") return { _tag: "Dropped", reason: planned.reason } satisfies MailResult
          return yield* Effect.match(send(planned.mail), {
            onSuccess: (): MailResult => ({ _tag: "Sent" }),
            onFailure: ({ isFinal, message }): MailResult => ({ _tag: "Failed", reason: message, isFinal })
          })
        })

        return MailDeliverer.of(
          yield* makeDeliveryWorker({
            name: "MailDeliverer",
            maxInFlight: 4,
            claim: (limit) => deliveries.claimMail(limit, lease),
            attempt,
            release: deliveries.releaseMail,
            settle: (claim: MailClaim, result: MailResult) =>
              Effect.flatMap(DateTime.now, (now) =>
                deliveries.settleMail(claim, settleMail(claim.attempts, result, now))
              ),
            report: (claim, result) => Effect.andThen(mailTelemetry.recordResult(result), logFailure(claim, result))
          })
        )
      })
    )
}
