import { DateTime, Duration, Effect, Option, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { measureText } from "../../domain/text/textRules.ts"
import type { SandboxAccount } from "../state/entry.ts"
import type { SandboxStore } from "../state/store.ts"
import { type StandIn, type StandInRequest, standInRoute } from "../standInRoute.ts"
import { strictBody } from "../strictBody.ts"
import { tweet, tweetId, wrappedText } from "./tweet.ts"
import { twitterInvalidRequest, twitterLimitHeaders, twitterProblem } from "./responses.ts"
import { makeWindowLimit } from "../windowLimit.ts"

const readNewPost = strictBody(
  Schema.Struct({
    text: Schema.String,
    reply_settings: Schema.optionalKey(Schema.Literals(["following", "mentionedUsers", "subscribers", "verified"]))
  })
)

const timelineParams = new Set(["start_time", "end_time", "max_results", "tweet.fields", "exclude", "pagination_token"])
const apiTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/
/** X's window for repeated texts is not documented. */
const duplicateWindow = Duration.toMillis(Duration.hours(12))
const limitWindow = Duration.toMillis(Duration.minutes(15))

const isBlank = (text: string) => text.trim() === ""

/** The part of the X API that the service uses. `postsPerWindow` is what one user may post in 15 minutes. */
export const twitterStandIn = (standIn: StandIn, store: SandboxStore, postsPerWindow: number) => {
  const posting = makeWindowLimit(postsPerWindow, limitWindow)

  const authorized = (
    request: StandInRequest,
    then: (account: SandboxAccount) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  ) =>
    Effect.flatMap(
      store.read((state, now) =>
        state.access("twitter", request.headers["authorization"]?.replace(/^Bearer /, "") ?? "", now)
      ),
      (account) =>
        account === undefined || account === "expired"
          ? Effect.succeed(HttpServerResponse.setHeader(twitterProblem(401), "www-authenticate", "Bearer"))
          : then(account)
    )

  const take = (account: SandboxAccount, post: { readonly text: string; readonly reply_settings?: string }) =>
    store.transact((state, now) => {
      const earlier = state.lastPosted("twitter", account.id, post.text)
      if (earlier !== undefined && now - earlier < duplicateWindow) {
        return {
          happens: [],
          answer: twitterProblem(403, "You are not allowed to create a Tweet with duplicate content.")
        }
      }
      const id = tweetId(now, state.accepted("twitter"))
      const { displayName, id: accountId, username } = account
      return {
        happens: [
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
        answer: HttpServerResponse.jsonUnsafe(
          {
            data: { id, text: wrappedText({ id, text: post.text }).text, edit_history_tweet_ids: [id] }
          },
          { status: 201 }
        )
      }
    })

  const create = (request: StandInRequest) =>
    authorized(request, (account) => {
      const standing = posting.use(account.id, 1, request.now)
      const limited = Effect.map(
        Effect.suspend(() => {
          if (!standing.allowed) return Effect.succeed(twitterProblem(429))
          if (!(request.headers["content-type"] ?? "").startsWith("application/json")) {
            return Effect.succeed(twitterInvalidRequest([{ path: [], message: "the body is not application/json" }]))
          }
          const read = readNewPost(request.body)
          if (Result.isFailure(read)) return Effect.succeed(twitterInvalidRequest(read.failure))
          if (isBlank(read.success.text))
            return Effect.succeed(twitterInvalidRequest([{ path: ["text"], message: "is blank" }]))
          return measureText("twitter", read.success.text).valid
            ? take(account, read.success)
            : Effect.succeed(twitterProblem(403, "Your Tweet text is too long."))
        }),
        HttpServerResponse.setHeaders(twitterLimitHeaders(standing))
      )
      return limited
    })

  const timeline = (request: StandInRequest) =>
    authorized(request, () => {
      const unknown = [...request.query.keys()].filter((name) => !timelineParams.has(name))
      const start = request.query.get("start_time")
      const max = Number(request.query.get("max_results") ?? "10")
      const wrong = [
        ...unknown.map((name) => ({ path: [name], message: "is not a parameter of this request" })),
        ...(start === null || apiTime.test(start)
          ? []
          : [{ path: ["start_time"], message: `[${start}] is not a valid time` }]),
        ...(max >= 5 && max <= 100 ? [] : [{ path: ["max_results"], message: `[${max}] is not between 5 and 100` }])
      ]
      if (wrong.length > 0) return Effect.succeed(twitterInvalidRequest(wrong))
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
