import { Cause, Context, DateTime, Effect, Layer } from "effect"
import { testMessage } from "../domain/chat/chatMessage.ts"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { makeWorkspaceTurns, withinWait } from "../domain/workspaceTurns.ts"
import type { OpenedChannel } from "../repo/channels/Channels.ts"
import { Repo } from "../repo/Repo.ts"
import { heldUntil } from "./ChatDeliverer.ts"
import { ChatSender } from "./ChatSender.ts"

/** Somebody waits for each, up to some 17 seconds. */
const tests = { total: 8, perWorkspace: 2 }
const maxWait = "5 seconds"

interface Tested {
  readonly delivered: boolean
  /** The chat program's words, or the reason why there is no answer. */
  readonly answer: string
}

const late: Tested = { delivered: false, answer: "Other tests have to end first; try again in a few seconds" }

/** Sends a message to a channel outside the queue, and waits for the answer. */
export class ChannelTests extends Context.Service<
  ChannelTests,
  {
    readonly send: (channel: OpenedChannel) => Effect.Effect<Tested, DatabaseUnavailable>
  }
>()("social-publisher/chat/ChannelTests") {
  static readonly layer = ({ baseUrl }: { readonly baseUrl: string }) =>
    Layer.effect(
      ChannelTests,
      Effect.gen(function* () {
        const { channels } = yield* Repo
        const sender = yield* ChatSender
        const { inTurn } = makeWorkspaceTurns(tests)

        const sendNow = Effect.fnUntraced(function* (channel: OpenedChannel) {
          const { kind, url, workspaceName } = channel
          const outcome = yield* sender.send({ kind, url, body: testMessage(kind, workspaceName, baseUrl) })
          const { answer, isRevoked, result } = outcome
          const asksForPause = result._tag === "Failed" && result.retryAfter !== undefined
          if (isRevoked || asksForPause) {
            const until = asksForPause ? heldUntil(outcome, yield* DateTime.now) : null
            yield* channels.record(channel, { heldUntil: until, isRevoked })
          }
          return { delivered: result._tag === "Sent", answer }
        })

        return ChannelTests.of({
          send: (channel) =>
            withinWait(
              inTurn(channel.workspaceId),
              maxWait,
              new Cause.TimeoutError()
            )(sendNow(channel)).pipe(Effect.catchTag("TimeoutError", () => Effect.succeed(late)))
        })
      })
    )
}
