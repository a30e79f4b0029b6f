import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { type MailResult, settleMail } from "../domain/mail/mailPolicy.ts"
import { mailOffPath } from "../domain/mail/mailLinks.ts"
import type { MailClaim } from "../repo/notifications/Deliveries.ts"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import { makeWorker, type Worker } from "../worker/makeWorker.ts"
import { retryWhileUnavailable } from "../worker/retryWhileUnavailable.ts"
import { Mailer } from "./Mailer.ts"
import { planMail } from "./notificationMail.ts"
import { initializeMailMetrics, recordResult } from "./telemetry.ts"

/** Messages of this process at one time. */
const maxInFlight = 4

const batching = { endsPerTick: 4, endsDelay: "20 millis" } as const

/** Longer than a message may take (smtp.ts), with a margin for writing its outcome. */
const lease = Duration.seconds(60)

const drainTimeout = Duration.seconds(5)

const logFailure = (claim: MailClaim, result: MailResult) =>
  result._tag === "Failed"
    ? Effect.logWarning(`A message to a member was not sent. ${result.reason}`).pipe(
        Effect.annotateLogs({ workspace_id: claim.workspaceId, delivery_id: claim.id })
      )
    : Effect.void

/**
 * Claims due messages for the free slots, and sends each. An interrupted attempt returns its message to the queue; it
 * may arrive twice then, with the same Message-ID.
 */
export class MailDeliverer extends Context.Service<MailDeliverer, Worker<DatabaseUnavailable>>()(
  "social-publisher/mail/MailDeliverer"
) {
  static readonly layer = ({ baseUrl }: { readonly baseUrl: string }) =>
    Layer.effect(
      MailDeliverer,
      Effect.gen(function* () {
        const { deliveries, mailPreferences } = yield* Repo
        const { domain, send } = yield* Mailer
        let inFlight = 0
        yield* initializeMailMetrics

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

        const run = (claim: MailClaim) =>
          attempt(claim).pipe(
            Effect.onInterrupt(() =>
              bestEffort("A message stays claimed until its lease ends")(deliveries.release(claim))
            ),
            Effect.flatMap((result) =>
              Effect.gen(function* () {
                yield* recordResult(result)
                yield* logFailure(claim, result)
                const end = settleMail(claim.attempts, result, yield* DateTime.now)
                yield* retryWhileUnavailable(deliveries.settle(claim, end))
              })
            ),
            bestEffort("The outcome of a message could not be written; it will be sent once more")
          )

        const worker = yield* makeWorker({
          name: "MailDeliverer",
          batching,
          drainTimeout,
          claim: Effect.suspend(() =>
            inFlight < maxInFlight ? deliveries.claim(maxInFlight - inFlight, lease) : Effect.succeed([])
          ),
          begin: (claim: MailClaim) => {
            inFlight += 1
            return run(claim).pipe(
              Effect.ensuring(
                Effect.sync(() => {
                  inFlight -= 1
                })
              ),
              // Another message may wait for the slot.
              Effect.as(true)
            )
          }
        })
        return MailDeliverer.of(worker)
      })
    )
}
