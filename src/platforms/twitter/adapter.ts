import { DateTime, Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { OutcomeUnknown, type Publication, Rejected, Unavailable } from "../../domain/platformError.ts"
import { measureText } from "../../domain/text/textRules.ts"
import { type Call, readResponse } from "../call.ts"
import type { Account, PublishRequest, PlatformAdapter, Prepared } from "../PlatformClient.ts"
import { lookedForOn, sentFrom } from "../preparedFor.ts"
import { unanswered } from "../unanswered.ts"
import { makeTwitterApi } from "./api.ts"
import type { TwitterConfig } from "./config.ts"
import { isDuplicate, problemDetail, rateLimited, refusedPost } from "./problem.ts"
import { findOnTimeline, Timeline } from "./timeline.ts"

const PreparedPost = Schema.Struct({
  text: Schema.String,
  reply_settings: Schema.optionalKey(Schema.Literals(["following", "mentionedUsers", "subscribers", "verified"])),
  /** The account that it is made ready for: another may be connected by the time that it is sent or looked for. */
  accountId: Schema.String,
  /** A post with the same text that is older is another one. */
  preparedAt: Schema.DateTimeUtcFromString
})
const encodePrepared = Schema.encodeSync(PreparedPost)
const decodePrepared = Schema.decodeUnknownOption(PreparedPost)

const readCreated = readResponse(Schema.Struct({ data: Schema.Struct({ id: Schema.NonEmptyString }) }))
const readTimeline = readResponse(Timeline)

/** Timelines lag, but hardly by more than the minutes that three looks are spread over. */
const maxReconcileAttempts = 3

/** X: no key makes a repeated request harmless, so after an unknown outcome only the account's timeline is asked. */
export const makeTwitterAdapter = (config: TwitterConfig, call: Call): PlatformAdapter => {
  const api = makeTwitterApi(config, call)

  const publication = (account: Account, id: string): Publication => ({
    platformPostId: id,
    url: `${config.webUrl}/${encodeURIComponent(account.username)}/status/${encodeURIComponent(id)}`
  })

  const look = Effect.fnUntraced(function* (account: Account, text: string, from: DateTime.Utc) {
    const startTime = DateTime.formatIso(DateTime.startOf(DateTime.subtract(from, { seconds: 60 }), "second"))
    const answer = yield* api.send(
      account,
      HttpClientRequest.get(`${config.apiUrl}/2/users/${encodeURIComponent(account.accountId)}/tweets`, {
        acceptJson: true,
        urlParams: {
          start_time: startTime.replace(".000Z", "Z"),
          max_results: "100",
          "tweet.fields": "created_at,entities,note_tweet"
        }
      })
    )
    if (answer.status === 429) return yield* Effect.flatMap(rateLimited(answer), Effect.fail)
    const timeline = answer.status === 200 ? readTimeline(answer) : Option.none()
    if (Option.isNone(timeline)) {
      return yield* new Unavailable({ message: problemDetail(answer) ?? `X answered ${answer.status}` })
    }
    return Option.map(findOnTimeline(timeline.value, text, from), (id) => publication(account, id))
  })

  const prepare = Effect.fn("Twitter.prepare")(function* (message: PublishRequest, account: Account) {
    const { length, limit, valid } = measureText("twitter", message.text)
    if (!valid) {
      return yield* new Rejected({
        message: `X takes texts of 1 to ${limit} weighted characters; this one has ${length}`
      })
    }
    const replies = message.settings.twitter?.who_can_reply ?? "everyone"
    return encodePrepared({
      text: message.text,
      ...(replies === "everyone" ? {} : { reply_settings: replies }),
      accountId: account.accountId,
      preparedAt: yield* DateTime.now
    })
  })

  const publish = Effect.fn("Twitter.publish")(function* (prepared: Prepared, account: Account) {
    const decoded = decodePrepared(prepared)
    if (Option.isNone(decoded)) return yield* new Rejected({ message: "What was prepared for X can't be read" })
    const { accountId, preparedAt, reply_settings, text } = decoded.value
    yield* sentFrom(account, accountId)
    const answer = yield* api
      .send(
        account,
        HttpClientRequest.post(`${config.apiUrl}/2/tweets`).pipe(
          HttpClientRequest.acceptJson,
          HttpClientRequest.bodyJsonUnsafe({ text, reply_settings })
        )
      )
      .pipe(Effect.catchTag("NoResponse", (error) => Effect.fail(unanswered(error))))
    if (answer.status === 201) {
      const created = readCreated(answer)
      return Option.isSome(created)
        ? publication(account, created.value.data.id)
        : yield* new OutcomeUnknown({ message: "X took the post but did not say where it is" })
    }
    if (isDuplicate(answer)) {
      // An earlier send of this very post can be the other one.
      const earlier = yield* Effect.orElseSucceed(look(account, text, preparedAt), Option.none)
      if (Option.isSome(earlier)) return earlier.value
      return yield* new Rejected({ message: "X refused this post because the account has another with the same text" })
    }
    return yield* Effect.flatMap(refusedPost(answer), Effect.fail)
  })

  const reconcile = Effect.fn("Twitter.reconcile")(function* (
    prepared: Prepared,
    account: Account,
    sentAt: DateTime.Utc
  ) {
    const decoded = decodePrepared(prepared)
    if (Option.isNone(decoded)) return yield* new OutcomeUnknown({ message: "What was prepared for X can't be read" })
    yield* lookedForOn(account, decoded.value.accountId)
    const found = yield* look(account, decoded.value.text, sentAt).pipe(
      // That looking failed says nothing of what was sent.
      Effect.catchTag(["NoResponse", "Unavailable"], (error) =>
        Effect.fail(new OutcomeUnknown({ message: `X could not be asked whether the post is out: ${error.message}` }))
      )
    )
    return Option.isSome(found)
      ? found.value
      : yield* new OutcomeUnknown({ message: "X has not shown the post on the account's timeline" })
  })

  return { maxReconcileAttempts, prepare, publish, reconcile }
}
