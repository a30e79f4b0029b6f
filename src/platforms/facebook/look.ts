import { DateTime, Duration, Effect, Option } from "effect"
import type { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import {
  Accepted,
  Dropped,
  OutcomeUnknown,
  type PlatformError,
  type Publication,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import { deletedTargetRetention } from "../../domain/publishing/retryPolicy.ts"
import { carryOut, unwatched } from "../carryOut.ts"
import { isPast, openUntil } from "../openOutcome.ts"
import { problemOf } from "../meta/problem.ts"
import { failAt } from "../outcome.ts"
import type { Account, PlatformAdapter, UnmatchedPosts } from "../PlatformClient.ts"
import { deletion, type FacebookApi, isDone } from "./api.ts"
import type { FacebookConfig } from "./config.ts"
import { asPublication, asVideo, type Hidden, hiddenIn } from "./hidden.ts"
import { type FacebookPost, readPost } from "./prepared.ts"
import { isNotVisible, refusedIdly } from "./problem.ts"
import { asReel, publishHidden, reelPause } from "./send.ts"
import { type VideoState, videoRequest, videoState } from "./state.ts"
import { comparedText, listPosts, type TimelinePost } from "./timeline.ts"

/**
 * Facebook may carry a request out this long after its answer was lost. Until then, "not published" decides nothing.
 */
const longestRequest = Duration.minutes(5)

/** A post is made visible again for this time after its first request. It is never sent later than that. */
const repeatWindow = Duration.hours(1)

/** After this time, the last repetition can't publish the post any more, however late it is carried out. */
const lastPublication = Duration.sum(repeatWindow, Duration.times(longestRequest, 2))

/** Facebook may begin to process a reel this long after the request to publish it. */
const longestIdle = Duration.hours(3)

/** The pause before Facebook is asked again for a reel. */
const pauses = { soon: reelPause, later: Duration.minutes(2) }

/** The longest time for which Facebook processes a reel, and for which it is asked what became of a post. */
export const longestProcessing = Duration.hours(24)

const unconfirmed = "Facebook has not said yet that this post is published"

const open = (message: string) => new OutcomeUnknown({ message })

/** Finds out if a post is published, and makes it visible if it is not. */
export const makeLooks = (
  config: FacebookConfig,
  api: FacebookApi
): Pick<PlatformAdapter, "reconcile" | "find"> & Required<Pick<PlatformAdapter, "unmatched">> => {
  /** Reads a state. None if Facebook does not find the object at the moment. */
  const stateOf = Effect.fnUntraced(function* <A>(
    account: Account,
    request: HttpClientRequest.HttpClientRequest,
    read: (response: Parameters<typeof problemOf>[0]) => Option.Option<A>
  ): Effect.fn.Return<Option.Option<A>, PlatformError | DatabaseUnavailable> {
    const response = yield* api.ask(account, request)
    const state = read(response)
    if (Option.isSome(state)) return state
    const problem = problemOf(response)
    if (problem !== undefined && problem.status < 500 && isNotVisible(problem)) return Option.none()
    return yield* failAt((now) => {
      const error = refusedIdly(response, now)
      return error._tag === "NeedsReauthorization" || error._tag === "RateLimited"
        ? error
        : new OutcomeUnknown({ message: `${unconfirmed}: ${error.message}` })
    })
  })

  const isOut = (account: Account, hidden: Hidden) => stateOf(account, hidden.question, hidden.isOut)

  const reelState = (account: Account, video: string): ReturnType<typeof stateOf<VideoState>> =>
    stateOf(account, videoRequest(config, video), (response) => videoState(video, response))

  /** Looks for a post by its photos, or by its text if it has none. A video without a text is not found. */
  const findInList = Effect.fnUntraced(function* (
    { accountId, pageVideo, photos, text, video }: FacebookPost,
    account: Account,
    since: DateTime.Utc,
    until?: DateTime.Utc
  ): Effect.fn.Return<Option.Option<Publication>, PlatformError | DatabaseUnavailable> {
    const { complete, posts } = yield* listPosts(api, config, account, since)
    // A reel or another video is known by its video's id.
    const recognized = ({ id, media: [first = id] }: TimelinePost): Publication => ({
      ...(video !== undefined
        ? asReel(config, first)
        : pageVideo !== undefined
          ? asVideo(config, accountId, first)
          : asPublication(config, id)),
      recognized: true
    })
    const wanted = comparedText(text)
    const own = posts.find(({ media }) => media.some((each) => photos.includes(each)))
    if (own !== undefined) return Option.some(recognized(own))
    const hasVideo = video !== undefined || pageVideo !== undefined
    const alike =
      photos.length > 0 || (hasVideo && wanted === "")
        ? []
        : posts
            .filter((post) => post.hasFiles === hasVideo && comparedText(post.text) === wanted)
            .toSorted((one, other) => DateTime.toEpochMillis(one.createdAt) - DateTime.toEpochMillis(other.createdAt))
    if (alike.length > 0) {
      const unresolved = yield* account.others.unresolved(since)
      const contenders = 1 + unresolved.filter((other) => comparedText(other) === wanted).length
      const published = yield* account.others.published(alike.flatMap(({ id, media }) => [id, ...media]))
      const [oldest, ...more] = alike.filter(({ id, media }) => ![id, ...media].some((each) => published.has(each)))
      if (oldest !== undefined) {
        const known = DateTime.subtractDuration(yield* DateTime.now, deletedTargetRetention)
        const isAlone = DateTime.isGreaterThanOrEqualTo(since, known) && 1 + more.length >= contenders
        if (isAlone) return Option.some(recognized(oldest))
        return yield* new OutcomeUnknown({
          message:
            "Facebook shows a post with this text, but another post of this Page with the same text may be the one",
          conclusive: true
        })
      }
    }
    if (!complete) {
      return yield* new OutcomeUnknown({
        message: "Facebook has not shown the post, and the list of the Page's posts is too long to be read whole",
        conclusive: true
      })
    }
    // The list lags.
    return (yield* isPast(until ?? since, longestRequest))
      ? Option.none()
      : yield* new Unavailable({ message: "Facebook may not show a post yet that was sent some minutes ago" })
  })

  /**
   * Makes the post visible again, which Facebook answers in the same way if it is visible already. Reading the
   * credentials first checks that this process has its leases and that the account is connected.
   */
  const repeat = Effect.fnUntraced(function* (
    prepared: FacebookPost,
    hidden: Hidden,
    account: Account
  ): Effect.fn.Return<Publication, PlatformError | DatabaseUnavailable> {
    const fenced = { ...unwatched, beforePost: Effect.asVoid(account.credentials.current) }
    return yield* carryOut(api, account, (access) => publishHidden(hidden, prepared, access), fenced).pipe(
      Effect.catchTags({
        Accepted: ({ message }) => Effect.fail(open(message)),
        // These say that this request was not carried out. An earlier one may have been, or may still be.
        DuplicateRefused: ({ message }) => Effect.fail(open(message)),
        UploadsGone: ({ message }) => Effect.fail(open(message)),
        TooEarly: ({ message }) => Effect.fail(open(message)),
        Rejected: ({ message }) => Effect.fail(open(message)),
        Unavailable: ({ message }) => Effect.fail(open(message))
      })
    )
  })

  const reconcileHidden = Effect.fnUntraced(function* (
    prepared: FacebookPost,
    hidden: Hidden,
    account: Account,
    sentAt: DateTime.Utc
  ): Effect.fn.Return<Publication, PlatformError | Dropped | DatabaseUnavailable> {
    const state = yield* isOut(account, hidden)
    if (Option.isNone(state)) {
      return yield* new OutcomeUnknown({
        message: "Facebook does not show this post: somebody may have deleted it, or the access to it was lost"
      })
    }
    if (state.value) return hidden.publication
    if (!(yield* isPast(sentAt, repeatWindow))) return yield* repeat(prepared, hidden, account)
    if (!(yield* isPast(sentAt, lastPublication))) return yield* open(unconfirmed)
    return yield* new Dropped({
      message: "Facebook did not publish this post within an hour, and shows it to nobody. Publish it again"
    })
  })

  /**
   * Deletes a video of which Facebook says that it waits for the request to publish it, although that request was sent.
   * Nothing can publish it after that.
   */
  const giveUpReel = Effect.fnUntraced(function* (video: string, account: Account) {
    const response = yield* api.ask(account, deletion(config, video))
    return yield* isDone(response)
      ? new Dropped({
          message:
            "Facebook did not begin to publish this reel within three hours, so its video was deleted. Publish it again"
        })
      : new OutcomeUnknown({ message: "Facebook has not begun to publish this reel, and did not delete it either" })
  })

  const reconcileReel = Effect.fnUntraced(function* (
    video: string,
    account: Account,
    sentAt: DateTime.Utc
  ): Effect.fn.Return<Publication, PlatformError | Accepted | Dropped | DatabaseUnavailable> {
    const state = yield* reelState(account, video)
    if (Option.isNone(state)) return yield* new OutcomeUnknown({ message: "Facebook does not show this reel" })
    switch (state.value._tag) {
      case "Published":
        return asReel(config, video)
      case "Working": {
        const isNew = !(yield* isPast(sentAt, longestRequest))
        return yield* new Accepted({
          message: "Facebook is processing this reel",
          askAfter: isNew ? pauses.soon : pauses.later
        })
      }
      case "Failed":
        return yield* new Dropped({ message: `Facebook could not publish this reel: ${state.value.reason}` })
      case "Uploading":
      case "Waiting": {
        if (state.value._tag === "Waiting" && (yield* isPast(sentAt, longestIdle))) {
          return yield* giveUpReel(video, account)
        }
        return yield* open("Facebook has not begun to publish this reel")
      }
    }
  })

  const findReel = Effect.fnUntraced(function* (
    post: FacebookPost,
    video: string,
    account: Account,
    since: DateTime.Utc,
    until?: DateTime.Utc
  ): Effect.fn.Return<Option.Option<Publication>, PlatformError | Accepted | DatabaseUnavailable> {
    const state = yield* reelState(account, video)
    const isSettled = yield* isPast(until ?? since, longestRequest)
    if (Option.isNone(state)) return yield* new OutcomeUnknown({ message: "Facebook does not show this reel" })
    switch (state.value._tag) {
      case "Published":
        return Option.some(asReel(config, video))
      case "Failed":
        return yield* findInList(post, account, since, until)
      case "Working":
        return yield* new Accepted({ message: "Facebook is processing this reel", askAfter: pauses.later })
      default:
        return isSettled
          ? yield* findInList(post, account, since, until)
          : yield* new OutcomeUnknown({ message: unconfirmed })
    }
  })

  return {
    reconcile: Effect.fn("Facebook.reconcile")(function* (prepared, account, sentAt) {
      const read = yield* readPost.toReconcile(prepared, account)
      const keepOpen = openUntil(DateTime.addDuration(sentAt, longestProcessing), sentAt)
      if (read.video !== undefined) return yield* keepOpen(reconcileReel(read.video, account, sentAt))
      const hidden = hiddenIn(config, read)
      if (hidden !== undefined) return yield* keepOpen(reconcileHidden(read, hidden, account, sentAt))
      const found = yield* findInList(read, account, sentAt)
      return Option.isSome(found) ? found.value : yield* new OutcomeUnknown({ message: unconfirmed })
    }),
    // The post may have been published from earlier uploads, which a restored database does not know.
    find: Effect.fn("Facebook.find")(function* (prepared, account, since, until) {
      const read = yield* readPost.toReconcile(prepared, account)
      if (read.video !== undefined) return yield* findReel(read, read.video, account, since, until)
      const hidden = hiddenIn(config, read)
      if (hidden === undefined) return yield* findInList(read, account, since, until)
      const state = yield* isOut(account, hidden)
      if (Option.exists(state, (is) => is)) return Option.some(hidden.publication)
      const isSettled = Option.isSome(state) && (yield* isPast(until ?? since, longestRequest))
      if (!isSettled) return yield* new OutcomeUnknown({ message: unconfirmed })
      return yield* findInList(read, account, since, until)
    }),
    unmatched: Effect.fn("Facebook.unmatched")(function* (account, since, until) {
      const { complete, posts } = yield* listPosts(api, config, account, since)
      const texts = new Set((yield* account.others.unresolved(since)).map(comparedText))
      // A reel and another video are known by their videos' ids.
      const published = yield* account.others.published(posts.flatMap(({ id, media }) => [id, ...media]))
      const isKnown = ({ id, media }: (typeof posts)[number]) => [id, ...media].some((each) => published.has(each))
      const end = DateTime.addDuration(until, longestRequest)
      const left = posts
        .filter(
          (post) =>
            DateTime.isLessThanOrEqualTo(post.createdAt, end) && !isKnown(post) && !texts.has(comparedText(post.text))
        )
        .toSorted((one, other) => DateTime.toEpochMillis(other.createdAt) - DateTime.toEpochMillis(one.createdAt))
      return {
        posts: left.map(({ createdAt, id, text }) => ({ id, createdAt, text })),
        complete
      } satisfies UnmatchedPosts
    })
  }
}
