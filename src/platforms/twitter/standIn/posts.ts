import { Duration, Effect, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { isBlank } from "../../../domain/plain/blankText.ts"
import type { SandboxAccount } from "../../../sandbox/state/entry.ts"
import type { Decision } from "../../../sandbox/state/store.ts"
import type { StandInContext } from "../../../sandbox/StandIn.ts"
import { publishCall, type StandInRequest, standInRoute } from "../../../sandbox/standInRoute.ts"
import { strictBody } from "../../../sandbox/strictBody.ts"
import { makeWindowLimit } from "../../../sandbox/windowLimit.ts"
import type { TwitterAccess } from "../facts.ts"
import { measure, refuseText } from "../rules/text.ts"
import { authorized } from "./authorized.ts"
import { NewReply, placeReply } from "./replies.ts"
import { twitterError, twitterInvalidRequest, twitterLimitHeaders } from "./responses.ts"
import { readTimelineQuery, timelinePage } from "./timeline.ts"
import { tweetId, wrapLinks } from "./tweet.ts"
import type { Uploads } from "./uploads.ts"

const readNewTweet = strictBody(
  Schema.Struct({
    text: Schema.optionalKey(Schema.String),
    media: Schema.optionalKey(
      Schema.Struct({ media_ids: Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(4)) })
    ),
    reply: Schema.optionalKey(NewReply),
    reply_settings: Schema.optionalKey(Schema.Literals(["following", "mentionedUsers", "subscribers", "verified"]))
  })
)

/** An assumption: X does not document how long it refuses a repeated text. */
const duplicateWindow = Duration.toMillis(Duration.hours(12))
const limitWindow = Duration.toMillis(Duration.minutes(15))
/** Per user. */
const postsPerWindow = 100

export const twitterPosts = (context: StandInContext, uploads: Uploads, access: TwitterAccess) => {
  const { limit: limitOf, store } = context
  const postLimit = makeWindowLimit(limitOf(postsPerWindow), limitWindow)

  const accept = (
    account: SandboxAccount,
    post: {
      readonly text: string
      readonly mediaIds: ReadonlyArray<string>
      readonly replySettings: string | null
      readonly repliesTo: string | null
    },
    { oddity }: StandInRequest
  ) =>
    store.transact((state, currentTime): Decision<HttpServerResponse.HttpServerResponse> => {
      const now = currentTime - (oddity?.kind === "clock" ? oddity.ms : 0)
      const lastPostedAt = state.lastPostedAt("twitter", account.id, post.text)
      // An assumption: X does not document if the same text with other media is a duplicate.
      const isDuplicate = post.mediaIds.length === 0 && lastPostedAt !== undefined
      if (isDuplicate && now - lastPostedAt < duplicateWindow) {
        const detail = "You are not allowed to create a Tweet with duplicate content."
        return { entries: [], result: twitterError(403, "Forbidden", detail) }
      }
      const placed = placeReply(state, account, post.repliesTo, {
        now: currentTime,
        mayReplyToOthers: access === "enterprise",
        mayReply: oddity?.kind !== "no_replies"
      })
      if (Result.isFailure(placed)) return { entries: [], result: placed.failure }
      const used = uploads.use(account.id, post.mediaIds, currentTime)
      if (Result.isFailure(used)) {
        return { entries: [], result: twitterInvalidRequest([{ path: ["media", "media_ids"], message: used.failure }]) }
      }
      const id = tweetId(now, state.accepted("twitter"))
      const { displayName, id: accountId, username } = account
      return {
        entries: [
          {
            _tag: "Post",
            platform: "twitter",
            accountId,
            username,
            displayName,
            id,
            at: now,
            text: post.text,
            replySettings: post.replySettings,
            ...placed.success,
            ...(oddity?.kind === "unseen" ? { repliesFrom: currentTime + oddity.ms } : {}),
            ...(oddity?.kind === "overload" ? { shownFrom: currentTime + oddity.ms } : {}),
            media: used.success,
            record: null
          }
        ],
        result: HttpServerResponse.jsonUnsafe(
          {
            data: {
              id,
              text: wrapLinks({ id, username, text: post.text, media: used.success }).text,
              edit_history_tweet_ids: [id]
            }
          },
          { status: 201 }
        )
      }
    })

  const create = (request: StandInRequest) =>
    authorized(store, request, (account) => {
      const limit = postLimit.use(account.id, 1, request.now)
      return Effect.map(
        Effect.suspend(() => {
          if (!limit.allowed) return Effect.succeed(twitterError(429))
          if (!(request.headers["content-type"] ?? "").startsWith("application/json")) {
            return Effect.succeed(twitterInvalidRequest([{ path: [], message: "the body is not application/json" }]))
          }
          const read = readNewTweet(request.body)
          if (Result.isFailure(read)) return Effect.succeed(twitterInvalidRequest(read.failure))
          const { media, reply, reply_settings = null, text = "" } = read.success
          const mediaIds = media?.media_ids ?? []
          if (isBlank(text) && mediaIds.length === 0)
            return Effect.succeed(twitterInvalidRequest([{ path: ["text"], message: "is blank" }]))
          if (!isBlank(text) && refuseText(access)(text) !== undefined) {
            return Effect.succeed(
              twitterError(403, "Forbidden", "You may not post this: it has more than one cashtag.")
            )
          }
          return isBlank(text) || measure(text).valid
            ? accept(
                account,
                { text, mediaIds, replySettings: reply_settings, repliesTo: reply?.in_reply_to_tweet_id ?? null },
                request
              )
            : Effect.succeed(twitterError(403, "Forbidden", "Your Tweet text is too long."))
        }),
        HttpServerResponse.setHeaders(twitterLimitHeaders(limit))
      )
    })

  const timeline = (request: StandInRequest) =>
    authorized(store, request, () => {
      const query = readTimelineQuery(request)
      return Result.isFailure(query)
        ? Effect.succeed(twitterInvalidRequest(query.failure))
        : store.read((state, now) =>
            HttpServerResponse.jsonUnsafe(timelinePage(state.posts(), query.success, request, now))
          )
    })

  /** An assumption: X does not document its answer if the account has no such post. */
  const remove = (request: StandInRequest) =>
    authorized(store, request, ({ id: accountId }) =>
      store.transact((state): Decision<HttpServerResponse.HttpServerResponse> => {
        const post = state.post("twitter", accountId, request.params["id"] ?? "")
        return post === undefined
          ? { entries: [], result: twitterError(404) }
          : {
              entries: [{ _tag: "Deleted", platform: "twitter", accountId, id: post.id }],
              result: HttpServerResponse.jsonUnsafe({ data: { deleted: true } })
            }
      })
    )

  const me = (request: StandInRequest) =>
    authorized(store, request, ({ displayName, id, username }) =>
      Effect.succeed(HttpServerResponse.jsonUnsafe({ data: { id, name: displayName, username } }))
    )

  return [
    standInRoute(context, publishCall, "POST", "/2/tweets", create),
    standInRoute(context, "delete", "DELETE", "/2/tweets/:id", remove),
    standInRoute(context, "timeline", "GET", "/2/users/:id/tweets", timeline),
    standInRoute(context, "identity", "GET", "/2/users/me", me)
  ]
}
