import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { type ChatOutcome, withoutAnswer } from "../domain/chat/chatAnswer.ts"
import { chatMessage } from "../domain/chat/chatMessage.ts"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { planContent } from "../domain/mail/deliveredContent.ts"
import { pauseFor, settleMail } from "../domain/mail/mailPolicy.ts"
import { makeDeliveryTelemetry } from "../mail/telemetry.ts"
import { makeDeliveryWorker } from "../mail/makeDeliveryWorker.ts"
import { Notifier } from "../notifier/Notifier.ts"
import type { ChatClaim } from "../repo/notifications/Deliveries.ts"
import { Repo } from "../repo/Repo.ts"
import type { Worker } from "../worker/makeWorker.ts"
import { ChatSender } from "./ChatSender.ts"

/** Longer than a message may take (ChatSender.ts), with a margin for writing its outcome. */
const lease = Duration.seconds(45)

/** Chat programs take about one message a second from a webhook. */
const spacing = Duration.seconds(1)

export const chatTelemetry = makeDeliveryTelemetry("chat", "Messages to channels")

const dropped = (reason: string): ChatOutcome => ({
  result: { _tag: "Dropped", reason },
  isRevoked: false,
  answer: reason
})

/** The channel gets nothing else before. */
export const heldUntil = ({ result }: Pick<ChatOutcome, "result">, now: DateTime.Utc): DateTime.Utc =>
  DateTime.addDuration(now, Duration.max(spacing, pauseFor(result._tag === "Failed" ? result.retryAfter : undefined)))

/** Sends notifications to channels. A process that dies after the sending sends once more. */
export class ChatDeliverer extends Context.Service<ChatDeliverer, Worker<DatabaseUnavailable>>()(
  "social-publisher/chat/ChatDeliverer"
) {
  static readonly layer = ({ baseUrl }: { readonly baseUrl: string }) =>
    Layer.effect(
      ChatDeliverer,
      Effect.gen(function* () {
        const { channels, deliveries, transaction } = yield* Repo
        const { channelDisabled } = yield* Notifier
        const { send } = yield* ChatSender
        yield* chatTelemetry.initialize

        const attempt = Effect.fnUntraced(
          function* (claim: ChatClaim) {
            if (!claim.isEnabled) return dropped("The channel was disabled")
            const planned = planContent(claim, {
              baseUrl,
              wants: (type) => claim.types.includes(type),
              unwanted: "The channel does not get this any more"
            })
            if (planned._tag === "Drop") return dropped(planned.reason)
            const url = yield* channels.openUrl(claim.channelId, claim.sealedUrl)
            return yield* send({
              kind: claim.kind,
              url,
              body: chatMessage(claim.kind, claim.workspaceName, planned.content)
            })
          },
          // An operator can add the missing key.
          Effect.catchTag("CredentialsUnreadable", ({ message }) => Effect.succeed(withoutAnswer(message)))
        )

        /** Tells people of a channel that this disables, in one transaction. */
        const settle = Effect.fnUntraced(function* (claim: ChatClaim, outcome: ChatOutcome) {
          const now = yield* DateTime.now
          const written = deliveries.settleChat(claim, settleMail(claim.attempts, outcome.result, now), {
            heldUntil: heldUntil(outcome, now),
            isRevoked: outcome.isRevoked
          })
          if (!outcome.isRevoked) return yield* Effect.asVoid(written)
          const disabled = Effect.flatMap(written, (channel) =>
            Option.isSome(channel) ? channelDisabled(channel.value) : Effect.void
          )
          return yield* transaction(disabled)
        })

        const report = Effect.fnUntraced(function* (claim: ChatClaim, { isRevoked, result }: ChatOutcome) {
          yield* chatTelemetry.recordResult(result)
          if (result._tag !== "Failed") return
          const words = isRevoked ? "A channel was disabled." : "A message to a channel was not sent."
          yield* Effect.logWarning(`${words} ${result.reason}`).pipe(
            Effect.annotateLogs({
              workspace_id: claim.workspaceId,
              channel_id: claim.channelId,
              delivery_id: claim.id
            })
          )
        })

        return ChatDeliverer.of(
          yield* makeDeliveryWorker({
            name: "ChatDeliverer",
            maxInFlight: 16,
            claim: (limit) => deliveries.claimChat(limit, lease),
            attempt,
            release: deliveries.releaseChat,
            settle,
            report
          })
        )
      })
    )
}
