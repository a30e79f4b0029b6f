import { DateTime, Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { OutcomeUnknown, type Publication, Rejected, Unavailable } from "../../domain/platformError.ts"
import { measureText } from "../../domain/text/textRules.ts"
import { type Call, readResponse } from "../call.ts"
import type { TwitterConfig } from "../config.ts"
import { unansweredPost } from "../outcome.ts"
import type { Account, PlatformAdapter, Prepared, PublishRequest } from "../PlatformClient.ts"
import { preparedPostReader } from "../preparedPost.ts"
import { makeTwitterApi } from "./api.ts"
import { isDuplicate, problemDetail, rateLimited, refusedTweet } from "./problem.ts"
import { findOnTimeline, Timeline } from "./timeline.ts"

const PreparedPost = Schema.Struct({
  text: Schema.String,
  reply_settings: Schema.optionalKey(Schema.Literals(["following", "mentionedUsers", "subscribers", "verified"])),
  /** The account that the post was prepared for. */
  accountId: Schema.String,
  /** An older post with the same text is another one. */
  preparedAt: Schema.DateTimeUtcFromString
})
const encodePrepared = Schema.encodeSync(PreparedPost)
const readPrepared = preparedPostReader("X", PreparedPost, ({ accountId }) => accountId)

const readCreated = readResponse(Schema.Struct({ data: Schema.Struct({ id: Schema.NonEmptyString }) }))
const readTimeline = readResponse(Timeline)

/** Timelines lag, but hardly by more than the minutes that three reconciliation attempts are spread over. */
const maxReconcileAttempts = 3

/** X: it has no idempotency keys, so after an unknown outcome only the account's timeline is read. */
export const makeTwitterAdapter = (config: TwitterConfig, call: Call): PlatformAdapter => {
  const api = makeTwitterApi(config, call)

  const publication = (account: Account, id: string): Publication => ({
    platformPostId: id,
    url: `${config.webUrl}/${encodeURIComponent(account.username)}/status/${encodeURIComponent(id)}`
  })

  const findPublished = Effect.fnUntraced(function* (account: Account, text: string, from: DateTime.Utc) {
    const startTime = DateTime.formatIso(DateTime.startOf(DateTime.subtract(from, { seconds: 60 }), "second"))
    const response = yield* api.send(
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
    if (response.status === 429) return yield* rateLimited(response)
    const timeline = response.status === 200 ? readTimeline(response) : Option.none()
    if (Option.isNone(timeline)) {
      return yield* new Unavailable({ message: problemDetail(response) ?? `X answered ${response.status}` })
    }
    return Option.map(findOnTimeline(timeline.value, text, from), (id) => publication(account, id))
  })

  const prepare = Effect.fn("Twitter.prepare")(function* (request: PublishRequest, account: Account) {
    const { length, limit, valid } = measureText("twitter", request.text)
    if (!valid) {
      return yield* new Rejected({
        message: `X takes texts of 1 to ${limit} weighted characters; this one has ${length}`
      })
    }
    const replies = request.settings.twitter?.who_can_reply ?? "everyone"
    return encodePrepared({
      text: request.text,
      ...(replies === "everyone" ? {} : { reply_settings: replies }),
      accountId: account.accountId,
      preparedAt: yield* DateTime.now
    })
  })

  const publish = Effect.fn("Twitter.publish")(function* (prepared: Prepared, account: Account) {
    const { preparedAt, reply_settings, text } = yield* readPrepared.toPublish(prepared, account)
    const response = yield* api
      .send(
        account,
        HttpClientRequest.post(`${config.apiUrl}/2/tweets`).pipe(
          HttpClientRequest.acceptJson,
          HttpClientRequest.bodyJsonUnsafe({ text, reply_settings })
        )
      )
      .pipe(Effect.catchTag("NoResponse", unansweredPost))
    if (response.status === 201) {
      const created = readCreated(response)
      return Option.isSome(created)
        ? publication(account, created.value.data.id)
        : yield* new OutcomeUnknown({ message: "X took the post but did not say where it is" })
    }
    if (isDuplicate(response)) {
      // The other post can be an earlier send of this one.
      const earlier = yield* Effect.orElseSucceed(findPublished(account, text, preparedAt), Option.none)
      if (Option.isSome(earlier)) return earlier.value
      return yield* new Rejected({ message: "X refused this post because the account has another with the same text" })
    }
    return yield* refusedTweet(response)
  })

  /** Reads the account's timeline. That it could not be read says nothing about the post. */
  const findSent = (account: Account, text: string, from: DateTime.Utc) =>
    findPublished(account, text, from).pipe(
      Effect.catchTag(
        ["NoResponse", "Unavailable"],
        ({ message }) => new OutcomeUnknown({ message: `X's timeline could not be read to find the post: ${message}` })
      )
    )

  const reconcile = Effect.fn("Twitter.reconcile")(function* (
    prepared: Prepared,
    account: Account,
    sentAt: DateTime.Utc
  ) {
    const { text } = yield* readPrepared.toReconcile(prepared, account)
    const found = yield* findSent(account, text, sentAt)
    return Option.isSome(found)
      ? found.value
      : yield* new OutcomeUnknown({ message: "X has not shown the post on the account's timeline" })
  })

  const find = Effect.fn("Twitter.find")(function* (prepared: Prepared, account: Account, since: DateTime.Utc) {
    const { text } = yield* readPrepared.toReconcile(prepared, account)
    return yield* findSent(account, text, since)
  })

  return { maxReconcileAttempts, prepare, publish, reconcile, find }
}
