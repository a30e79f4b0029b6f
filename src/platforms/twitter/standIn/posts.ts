import { Duration, Result, Schema } from "effect"
import { isBlank } from "../../../domain/plain/blankText.ts"
import {
  endpoint,
  publishCall,
  type RespondTo,
  type StandInRequest,
  type StandInResponse,
  strictBody
} from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { deletionOf, postOf, type SandboxAccount } from "../../../sandbox/state/entry.ts"
import type { State } from "../../../sandbox/state/state.ts"
import type { TwitterAccess } from "../facts.ts"
import { measure, refuseText } from "../rules/text.ts"
import { NewReply, placeReply } from "./replies.ts"
import { authorized, perWindow, twitterError, twitterInvalidRequest } from "./responses.ts"
import { readTimelineQuery, timelinePage } from "./timeline.ts"
import { tweetId, wrapLinks } from "./tweet.ts"
import type { Uploads } from "./uploads.ts"

const NewTweet = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  media: Schema.optionalKey(
    Schema.Struct({ media_ids: Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(4)) })
  ),
  reply: Schema.optionalKey(NewReply),
  reply_settings: Schema.optionalKey(Schema.Literals(["following", "mentionedUsers", "subscribers", "verified"]))
})
const readNewTweet = strictBody(NewTweet)

/** An assumption: X does not document how long it refuses a repeated text. */
const duplicateWindow = Duration.toMillis(Duration.hours(12))
/** Per user. */
const postsPerWindow = 100

const refuseTweet = (text: string, hasMedia: boolean, access: TwitterAccess): StandInResponse | undefined => {
  if (isBlank(text)) return hasMedia ? undefined : twitterInvalidRequest([{ path: ["text"], message: "is blank" }])
  if (refuseText(access)(text) !== undefined) {
    return twitterError(403, "Forbidden", "You may not post this: it has more than one cashtag.")
  }
  return measure(text).valid ? undefined : twitterError(403, "Forbidden", "Your Tweet text is too long.")
}

const timeline: RespondTo = (_, request, state) => {
  const query = readTimelineQuery(request)
  return Result.isFailure(query)
    ? twitterInvalidRequest(query.failure)
    : { status: 200, body: timelinePage(state.posts(), query.success, request) }
}

/** An assumption: X does not document its answer if the account has no such post. */
const remove: RespondTo = ({ id }, { params }, state) => {
  const post = state.post("twitter", id, params["id"] ?? "")
  return post === undefined
    ? twitterError(404)
    : {
        status: 200,
        body: { data: { deleted: true } },
        entries: [deletionOf(post)]
      }
}

const me: RespondTo = ({ displayName, id, username }) => ({
  status: 200,
  body: { data: { id, name: displayName, username } }
})

export const twitterPosts = (memory: StandInMemory, uploads: Uploads, access: TwitterAccess) => {
  const accept = (
    account: SandboxAccount,
    { media, reply, reply_settings, text = "" }: typeof NewTweet.Type,
    { now, oddity }: StandInRequest,
    state: State
  ): StandInResponse => {
    const mediaIds = media?.media_ids ?? []
    const at = now - (oddity?.kind === "clock" ? oddity.ms : 0)
    const lastPostedAt = state.lastPostedAt("twitter", account.id, text)
    // An assumption: X does not document if the same text with other media is a duplicate.
    const isDuplicate = mediaIds.length === 0 && lastPostedAt !== undefined
    if (isDuplicate && at - lastPostedAt < duplicateWindow) {
      return twitterError(403, "Forbidden", "You are not allowed to create a Tweet with duplicate content.")
    }
    const placed = placeReply(state, account, reply?.in_reply_to_tweet_id ?? null, {
      now,
      mayReplyToOthers: access === "enterprise",
      mayReply: oddity?.kind !== "no_replies"
    })
    if (Result.isFailure(placed)) return placed.failure
    if (oddity?.kind === "forgotten_files") uploads.forget(mediaIds)
    const used = uploads.use(account.id, mediaIds, now)
    if (Result.isFailure(used)) return twitterInvalidRequest([{ path: ["media", "media_ids"], message: used.failure }])
    const post = postOf(account, {
      id: tweetId(at, state.accepted("twitter")),
      at,
      text,
      replySettings: reply_settings ?? null,
      ...placed.success,
      media: used.success
    })
    const { id } = post
    return {
      status: 201,
      body: { data: { id, text: wrapLinks(post).text, edit_history_tweet_ids: [id] } },
      entries: [post]
    }
  }

  const create: RespondTo = (account, request, state) => {
    if (request.headers["content-type"]?.startsWith("application/json") !== true) {
      return twitterInvalidRequest([{ path: [], message: "the body is not application/json" }])
    }
    const tweet = readNewTweet(request.body)
    if (Result.isFailure(tweet)) return twitterInvalidRequest(tweet.failure)
    const { media, text = "" } = tweet.success
    return refuseTweet(text, media !== undefined, access) ?? accept(account, tweet.success, request, state)
  }

  return [
    endpoint(publishCall, "POST", "/2/tweets", authorized(perWindow(memory, postsPerWindow, create))),
    endpoint("delete", "DELETE", "/2/tweets/:id", authorized(remove)),
    endpoint("timeline", "GET", "/2/users/:id/tweets", authorized(timeline)),
    endpoint("identity", "GET", "/2/users/me", authorized(me))
  ]
}
