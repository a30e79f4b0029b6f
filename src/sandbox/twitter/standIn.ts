import { DateTime, Duration, Effect, Option, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { measureText } from "../../domain/text/textRules.ts"
import type { SandboxAccount } from "../state/entry.ts"
import type { Decision, Store } from "../state/store.ts"
import { bearerToken, type StandIn, type StandInRequest, standInRoute } from "../standInRoute.ts"
import { strictBody } from "../strictBody.ts"
import { makeWindowLimit } from "../windowLimit.ts"
import { twitterError, twitterInvalidRequest, twitterLimitHeaders } from "./responses.ts"
import { tweet, tweetId, wrapLinks } from "./tweet.ts"

const readNewTweet = strictBody(
  Schema.Struct({
    text: Schema.String,
    reply_settings: Schema.optionalKey(Schema.Literals(["following", "mentionedUsers", "subscribers", "verified"]))
  })
)

const timelineParams = new Set(["start_time", "end_time", "max_results", "tweet.fields", "exclude", "pagination_token"])
const timeFormat = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/
/** An assumption: X does not document how long it refuses a repeated text. */
const duplicateWindow = Duration.toMillis(Duration.hours(12))
const limitWindow = Duration.toMillis(Duration.minutes(15))

const isBlank = (text: string) => text.trim() === ""

/** The part of the X API that the service uses. A user may post `postsPerWindow` times in 15 minutes. */
export const twitterStandIn = (standIn: StandIn, store: Store, postsPerWindow: number) => {
  const postLimit = makeWindowLimit(postsPerWindow, limitWindow)

  const authorized = (
    request: StandInRequest,
    then: (account: SandboxAccount) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  ) =>
    Effect.flatMap(
      store.read((state, now) => state.accountByToken("twitter", bearerToken(request) ?? "", now)),
      (account) =>
        account === undefined || account === "expired"
          ? Effect.succeed(HttpServerResponse.setHeader(twitterError(401), "www-authenticate", "Bearer"))
          : then(account)
    )

  const accept = (account: SandboxAccount, post: { readonly text: string; readonly reply_settings?: string }) =>
    store.transact((state, now): Decision<HttpServerResponse.HttpServerResponse> => {
      const lastPostedAt = state.lastPostedAt("twitter", account.id, post.text)
      if (lastPostedAt !== undefined && now - lastPostedAt < duplicateWindow) {
        const detail = "You are not allowed to create a Tweet with duplicate content."
        return { entries: [], result: twitterError(403, "Forbidden", detail) }
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
            replySettings: post.reply_settings ?? null,
            record: null
          }
        ],
        result: HttpServerResponse.jsonUnsafe(
          { data: { id, text: wrapLinks({ id, text: post.text }).text, edit_history_tweet_ids: [id] } },
          { status: 201 }
        )
      }
    })

  const create = (request: StandInRequest) =>
    authorized(request, (account) => {
      const limit = postLimit.use(account.id, 1, request.now)
      return Effect.map(
        Effect.suspend(() => {
          if (!limit.allowed) return Effect.succeed(twitterError(429))
          if (!(request.headers["content-type"] ?? "").startsWith("application/json")) {
            return Effect.succeed(twitterInvalidRequest([{ path: [], message: "the body is not application/json" }]))
          }
          const read = readNewTweet(request.body)
          if (Result.isFailure(read)) return Effect.succeed(twitterInvalidRequest(read.failure))
          if (isBlank(read.success.text))
            return Effect.succeed(twitterInvalidRequest([{ path: ["text"], message: "is blank" }]))
          return measureText("twitter", read.success.text).valid
            ? accept(account, read.success)
            : Effect.succeed(twitterError(403, "Forbidden", "Your Tweet text is too long."))
        }),
        HttpServerResponse.setHeaders(twitterLimitHeaders(limit))
      )
    })

  const timeline = (request: StandInRequest) =>
    authorized(request, () => {
      const unknown = [...request.query.keys()].filter((name) => !timelineParams.has(name))
      const start = request.query.get("start_time")
      const max = Number(request.query.get("max_results") ?? "10")
      const issues = [
        ...unknown.map((name) => ({ path: [name], message: "is not a parameter of this request" })),
        ...(start === null || timeFormat.test(start)
          ? []
          : [{ path: ["start_time"], message: `[${start}] is not a valid time` }]),
        ...(max >= 5 && max <= 100 ? [] : [{ path: ["max_results"], message: `[${max}] is not between 5 and 100` }])
      ]
      if (issues.length > 0) return Effect.succeed(twitterInvalidRequest(issues))
      return store.read((state, now) => {
        const from =
          start === null ? 0 : Option.match(DateTime.make(start), { onNone: () => 0, onSome: DateTime.toEpochMillis })
        const shown = state
          .posts()
          .filter(
            (post) =>
              post.platform === "twitter" &&
              post.accountId === request.params["id"] &&
              post.at >= from &&
              (request.lag === 0 || post.at <= now - request.lag)
          )
          .toReversed()
          .slice(0, max)
        return HttpServerResponse.jsonUnsafe(
          shown.length === 0
            ? { meta: { result_count: 0 } }
            : { data: shown.map(tweet), meta: { result_count: shown.length } }
        )
      })
    })

  const me = (request: StandInRequest) =>
    authorized(request, ({ displayName, id, username }) =>
      Effect.succeed(HttpServerResponse.jsonUnsafe({ data: { id, name: displayName, username } }))
    )

  return [
    standInRoute(standIn, "publish", "POST", "/2/tweets", create),
    standInRoute(standIn, "timeline", "GET", "/2/users/:id/tweets", timeline),
    standInRoute(standIn, "identity", "GET", "/2/users/me", me)
  ]
}
