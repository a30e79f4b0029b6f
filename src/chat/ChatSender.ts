import { Context, DateTime, Duration, Effect, Layer, Redacted } from "effect"
import { type ChatOutcome, interpretAnswer, withoutAnswer } from "../domain/chat/chatAnswer.ts"
import { withConfirmation } from "../domain/chat/channelUrl.ts"
import type { ChannelKind } from "../domain/plain/chat.ts"
import { Outbound } from "../outbound/Outbound.ts"
import { parseRetryAfter } from "../outbound/retryAfter.ts"
import { ChatOrigins } from "./ChatOrigins.ts"

/** For the response's headers. */
const timeout = Duration.seconds(15)

/** For the beginning of its body, which says why a message was refused. */
const bodyTimeout = Duration.seconds(2)

/** In bytes; the rest is not read. */
const maxAnswer = 2_000

export interface ChatRequest {
  readonly kind: ChannelKind
  readonly url: Redacted.Redacted
  readonly body: unknown
}

/** Sends one message once. Every failure of the receiver is an outcome. */
export class ChatSender extends Context.Service<
  ChatSender,
  { readonly send: (request: ChatRequest) => Effect.Effect<ChatOutcome> }
>()("social-publisher/chat/ChatSender") {
  static readonly layer = Layer.effect(
    ChatSender,
    Effect.gen(function* () {
      const outbound = yield* Outbound
      const origins = yield* ChatOrigins

      const addressOf = (url: string): string => {
        const parsed = URL.parse(url)
        const origin = parsed === null ? undefined : origins[parsed.host]
        return parsed === null || origin === undefined ? url : `${origin}${parsed.pathname}${parsed.search}`
      }

      const send = Effect.fn("ChatSender.send")(
        function* ({ body, kind, url }: ChatRequest) {
          const { beginning, headers, status } = yield* outbound.post({
            url: addressOf(withConfirmation(kind, Redacted.value(url))),
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
            timeout,
            maxBytes: maxAnswer,
            bodyTimeout
          })
          return interpretAnswer(kind, Redacted.value(url), {
            status,
            body: new TextDecoder().decode(beginning),
            retryAfter: parseRetryAfter(headers, yield* DateTime.now)
          })
        },
        Effect.catch(({ message }) => Effect.succeed(withoutAnswer(message)))
      )
      return ChatSender.of({ send })
    })
  )
}
