import { DateTime, Duration, Effect, Option, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  DuplicateRefused,
  OutcomeUnknown,
  type Publication,
  UploadsGone
} from "../../domain/publishing/platformError.ts"
import { isBlank } from "../../domain/plain/blankText.ts"
import { measure } from "./rules/text.ts"
import { type Call, type PlatformResponse, readResponse } from "../call.ts"
import type { TwitterConfig } from "./config.ts"
import { foreignAnswer, unansweredPost } from "../outcome.ts"
import type { Account, PlatformAdapter, PostLimits, Prepared, PublishRequest, SendFailure } from "../PlatformClient.ts"
import { preparedPostReader, requireFit, storedForm, uploadsReader } from "../preparedPost.ts"
import { span } from "../span.ts"
import { end, fail } from "../steps.ts"
import { authorized, makeTwitterApi } from "./api.ts"
import { makeTimelineSearch } from "./searchTimeline.ts"
import { isUnknownMedia, isUsable, makeMediaUpload, TwitterUploads } from "./media.ts"
import { isDuplicate, isOwnAnswer, problemDetail, refusedTweet } from "./problem.ts"
import { readReply, refusedReply, TwitterReply } from "./reply.ts"
import { XId } from "./syntax.ts"

const storedAs = storedForm("TwitterPost")

export const TwitterPost = Schema.Struct({
  ...storedAs.fields,
  text: Schema.String,
  reply_settings: Schema.optionalKey(Schema.Literals(["following", "mentionedUsers", "subscribers", "verified"])),
  accountId: Schema.String,
  /** A look ignores older posts, because an older post with the same text is a different post. */
  preparedAt: Schema.DateTimeUtcFromString,
  uploads: Schema.optionalKey(TwitterUploads),
  reply: Schema.optionalKey(TwitterReply)
})
type TwitterPost = typeof TwitterPost.Type
const encodePrepared = Schema.encodeSync(TwitterPost)
const readPrepared = preparedPostReader("X", TwitterPost, ({ accountId }) => accountId)

const readUploads = uploadsReader("X", TwitterUploads)
const textLimit = { platform: "X", measure, unit: "weighted characters" }

const readCreated = readResponse(Schema.Struct({ data: Schema.Struct({ id: XId }) }))

const refusal = ({ reply, uploads }: TwitterPost, response: PlatformResponse, now: DateTime.Utc): SendFailure => {
  if (!isOwnAnswer(response)) return foreignAnswer("X", response)
  if (isDuplicate(response)) {
    return new DuplicateRefused({ message: "X refused this post because the account has another with the same text" })
  }
  if (uploads !== undefined && isUnknownMedia(response)) {
    return new UploadsGone({ message: `X does not know the files of this post: ${problemDetail(response)}` })
  }
  return (reply === undefined ? undefined : refusedReply(reply, response)) ?? refusedTweet(response, now)
}

/** Three reconciliations take minutes, and timelines hardly lag longer. */
const maxReconcileAttempts = 3

/** A third party reports that X refuses an immediate reply, because it may not show the parent yet. */
const replyPause = Duration.seconds(2)

/** X has no idempotency keys, so an unknown outcome needs a look at the account's timeline. */
export const makeTwitterAdapter = (config: TwitterConfig, call: Call, postLimits?: PostLimits): PlatformAdapter => {
  const api = makeTwitterApi(config, call)
  const { searchTimeline, unmatched } = makeTimelineSearch(config, api)
  const upload = makeMediaUpload(config, api)

  const publication = (account: Pick<Account, "username">, id: string): Publication => ({
    platformPostId: id,
    url: `${config.webUrl}/${encodeURIComponent(account.username)}/status/${encodeURIComponent(id)}`
  })

  const prepare = Effect.fnUntraced(function* (request: PublishRequest, account: Account) {
    const uploads = yield* readUploads(request)
    yield* requireFit(textLimit, request.text, uploads !== undefined)
    const reply = yield* readReply(request)
    const now = yield* DateTime.now
    const replies = request.settings.twitter?.who_can_reply ?? "everyone"
    return encodePrepared({
      ...storedAs.members,
      text: request.text,
      // The setting is only for a thread's first post, which decides for the whole thread.
      ...(replies === "everyone" || reply !== undefined ? {} : { reply_settings: replies }),
      accountId: account.accountId,
      // A look searches from this time on, so it must not be too late. This process's clock may be ahead of X's.
      preparedAt: DateTime.min(request.notBefore ?? now, now),
      ...(uploads === undefined ? {} : { uploads }),
      ...(reply === undefined ? {} : { reply })
    })
  }, span("Twitter.prepare"))

  const emptyRequest = HttpClientRequest.post(`${config.apiUrl}/2/tweets`, { acceptJson: true })
  const requestOf = ({ reply, reply_settings, text, uploads }: TwitterPost) =>
    HttpClientRequest.bodyJsonUnsafe(emptyRequest, {
      ...(uploads !== undefined && isBlank(text) ? {} : { text }),
      reply_settings,
      ...(reply === undefined ? {} : { reply: { in_reply_to_tweet_id: reply.parentId } }),
      ...(uploads === undefined ? {} : { media: { media_ids: uploads.media.map(({ id }) => id) } })
    })

  const published = (account: Pick<Account, "username">, response: PlatformResponse): Option.Option<Publication> =>
    response.status === 201
      ? Option.map(readCreated(response), ({ data }) => publication(account, data.id))
      : Option.none()

  const send: PlatformAdapter["send"] = (prepared, access, now) => {
    const read = readPrepared.toSend(prepared, access)
    if (Result.isFailure(read)) return fail(read.failure)
    const post = read.success
    const { uploads } = post
    if (uploads !== undefined && !(uploads.accountId === access.accountId && isUsable(uploads, now))) {
      return fail(new UploadsGone({ message: "The files uploaded to X for this post have expired" }))
    }
    return authorized(access, requestOf(post), "post", (answer, at) => {
      if (Result.isFailure(answer)) return fail(unansweredPost(answer.failure))
      return end(Result.fromOption(published(access, answer.success), () => refusal(post, answer.success, at)))
    })
  }

  /** Searches from `preparedAt` on, because `since` may be the time of a repeated send. */
  const find = Effect.fn("Twitter.find")(function* (
    prepared: Prepared,
    account: Account,
    since: DateTime.Utc,
    until?: DateTime.Utc
  ) {
    const { preparedAt, reply, text, uploads } = yield* readPrepared.toReconcile(prepared, account)
    const id = yield* searchTimeline(
      account,
      { text, media: uploads?.media ?? null, conversation: reply?.rootId ?? null },
      DateTime.min(preparedAt, since),
      until
    )
    return Option.map(id, (found): Publication => ({ ...publication(account, found), recognized: true }))
  })

  const reconcile = Effect.fn("Twitter.reconcile")(function* (
    prepared: Prepared,
    account: Account,
    sentAt: DateTime.Utc
  ) {
    const found = yield* find(prepared, account, sentAt).pipe(
      // Not `conclusive`: a later look can tell more, because the timeline lags and other targets settle.
      Effect.catchTag("OutcomeUnknown", ({ message }) => new OutcomeUnknown({ message }))
    )
    return Option.isSome(found)
      ? found.value
      : yield* new OutcomeUnknown({ message: "X has not shown the post on the account's timeline" })
  })

  return {
    maxReconcileAttempts,
    replyPause,
    calls: api.calls,
    renew: api.renew,
    upload,
    prepare,
    send,
    sendSpan: "Twitter.publish",
    reconcile,
    find,
    postLimits,
    unmatched
  }
}
