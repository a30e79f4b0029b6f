import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Context, DateTime, Duration, Effect, Layer, Result, Schedule } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { nextTargetId } from "../domain/ids.ts"
import type { DuplicateRefused, PlatformError, Publication, UploadsGone } from "../domain/publishing/platformError.ts"
import type { Reply } from "../domain/publishing/reply.ts"
import { type Call, makeExchangeCall } from "./call.ts"
import { sendPost } from "./carryOut.ts"
import type { TwitterConfig } from "./config.ts"
import { makeDispatcherExchange } from "./exchange.ts"
import type { Account } from "./PlatformClient.ts"
import { makeTwitterAdapter } from "./twitter/adapter.ts"
import { makeTwitterApi } from "./twitter/api.ts"

/** What came of a trial whose first post went out. */
export interface TrialReport {
  /** Whether X took the reply; unknown where it did not say so. */
  readonly reply: "taken" | "refused" | "unknown"
  /** Why X did not take it, or did not say so; null where it took it. */
  readonly reason: string | null
  /** How often X did not show the first post yet, so that the reply was sent again. */
  readonly repeated: number
  /** The addresses of the posts that could not be deleted. */
  readonly left: ReadonlyArray<string>
}

type TrialError = PlatformError | DuplicateRefused | UploadsGone | DatabaseUnavailable

/** How often a reply is sent again while X does not show what it replies to: for a minute. */
const times = 12
const usualPause = Duration.seconds(5)

const makeReplyTrial = (config: TwitterConfig, call: Call, pause: Duration.Duration) => {
  const adapter = makeTwitterAdapter(config, call)
  const api = makeTwitterApi(config, call)

  const publish = Effect.fnUntraced(function* (text: string, reply: Reply | null, account: Account) {
    const targetId = yield* nextTargetId
    const prepared = yield* adapter.prepare({ targetId, text, settings: {}, reply }, account)
    return yield* sendPost(adapter, prepared, account)
  })

  const isDeleted = ({ platformPostId }: Publication, account: Account) =>
    api.send(account, HttpClientRequest.delete(`${config.apiUrl}/2/tweets/${platformPostId}`)).pipe(
      Effect.map(({ status }) => status === 200),
      Effect.orElseSucceed(() => false)
    )

  /** Posts and replies to it, and deletes both, also where it is interrupted. Fails where the first post does not go out. */
  const run = Effect.fn("Twitter.replyTrial")(function* (account: Account): Effect.fn.Return<TrialReport, TrialError> {
    const time = DateTime.formatIso(yield* DateTime.now)
    const out: Array<Publication> = []
    const left: Array<string> = []
    let sends = 0
    const trial = Effect.gen(function* () {
      const root = yield* publish(`Trying a thread, which is deleted at once (1 of 2, ${time})`, null, account)
      out.push(root)
      const first = { platformPostId: root.platformPostId ?? "", cid: null }
      const reply = { root: first, parent: first, parentAt: yield* DateTime.now }
      const send = Effect.suspend(() => {
        sends += 1
        return publish(`Trying a thread, which is deleted at once (2 of 2, ${time})`, reply, account)
      })
      const sent = yield* Effect.result(
        Effect.retry(send, { while: ({ _tag }) => _tag === "TooEarly", schedule: Schedule.spaced(pause), times })
      )
      if (Result.isSuccess(sent)) out.push(sent.success)
      return sent
    })
    // A reply whose parent is deleted first stays as an answer to nothing.
    const deleteAll = Effect.suspend(() =>
      Effect.forEach(
        out.toReversed(),
        Effect.fnUntraced(function* (post) {
          if (!(yield* isDeleted(post, account))) left.push(post.url ?? "")
        }),
        { discard: true }
      )
    )
    const sent = yield* Effect.ensuring(trial, deleteAll)
    const repeated = sends - 1
    if (Result.isSuccess(sent)) return { reply: "taken", reason: null, repeated, left }
    const { _tag, message } = sent.failure
    return { reply: _tag === "OutcomeUnknown" ? "unknown" : "refused", reason: message, repeated, left }
  })

  return { run }
}

/**
 * Tries with a real account whether X lets the application reply to the account's own posts, which X's documentation does not say.
 */
export class ReplyTrial extends Context.Service<
  ReplyTrial,
  { readonly run: (account: Account) => Effect.Effect<TrialReport, TrialError> }
>()("social-publisher/platforms/ReplyTrial") {
  /** `pause` is how long X is given to show the first post before the reply is sent again. */
  static readonly layer = (
    config: TwitterConfig,
    pause = usualPause
  ): Layer.Layer<ReplyTrial, never, NodeHttpClient.Dispatcher> =>
    Layer.effect(
      ReplyTrial,
      Effect.map(Effect.flatMap(NodeHttpClient.Dispatcher, makeDispatcherExchange), (exchange) =>
        makeReplyTrial(config, makeExchangeCall(exchange, "X"), pause)
      )
    )
}
