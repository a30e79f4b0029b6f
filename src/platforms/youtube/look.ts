import { DateTime, Duration, Effect, Option } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import {
  Dropped,
  OutcomeUnknown,
  type PlatformError,
  type Publication,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import { deletedTargetRetention } from "../../domain/publishing/retryPolicy.ts"
import { carryOut, unwatched } from "../carryOut.ts"
import { isPast, openUntil } from "../openOutcome.ts"
import { failAt } from "../outcome.ts"
import type { Account, PlatformAdapter, UnmatchedPosts } from "../PlatformClient.ts"
import type { YoutubeApi } from "./api.ts"
import type { YoutubeConfig } from "./config.ts"
import { isUploaded, readPost, type SoughtPost, type UploadedPost } from "./prepared.ts"
import { refusedIdly } from "./problem.ts"
import { publicationOf, publishVideo } from "./send.ts"
import { comparedText, phaseOf, type VideoState, videoRequest, videoState } from "./state.ts"
import { isKey } from "./syntax.ts"
import { type ListedVideo, listVideos } from "./timeline.ts"

/** YouTube may carry a request out this long after its answer was lost. Until then, "not published" decides nothing. */
const longestRequest = Duration.minutes(5)

/** A video is made visible again for this time after the first request. It is never sent later than that. */
const repeatWindow = Duration.hours(1)

/** After this time, the last repetition can't publish the video any more, however late it is carried out. */
const lastPublication = Duration.sum(repeatWindow, Duration.times(longestRequest, 2))

/** The longest time for which YouTube is asked what became of a video. */
const longestQuestion = Duration.hours(24)

/** Clocks differ. An earlier start only lists more videos. */
const margin = Duration.minutes(10)

const unconfirmed = "YouTube has not said yet that this video is published"

const notShown = "YouTube does not show this video: somebody may have deleted it, or the access to it was lost"

const open = (message: string) => new OutcomeUnknown({ message })

type Failure = PlatformError | DatabaseUnavailable

/** Reads the state of a post's video. */
export const readState = Effect.fn("Youtube.readState")(function* (
  config: YoutubeConfig,
  { ask }: YoutubeApi,
  account: Account,
  { video }: Pick<UploadedPost, "video">
): Effect.fn.Return<VideoState | "missing", Failure> {
  const response = yield* ask(account, videoRequest(config, video))
  const state = videoState(video, response)
  if (Option.isSome(state)) return state.value
  return yield* failAt((now): PlatformError => {
    const error = refusedIdly(response, now)
    return error._tag === "NeedsReauthorization" || error._tag === "RateLimited"
      ? error
      : new Unavailable({ message: `YouTube did not tell the state of a video: ${error.message}` })
  })
})

/** Finds out if a video is published, and makes it visible if it still has its first title. */
export const makeLooks = (
  config: YoutubeConfig,
  api: YoutubeApi
): Pick<PlatformAdapter, "reconcile" | "find"> & Required<Pick<PlatformAdapter, "unmatched">> => {
  /** Looks for a post by its title and description. A video that has not been published has another title. */
  const findInList = Effect.fnUntraced(function* (
    post: Pick<SoughtPost, "privacy" | "text" | "title">,
    account: Account,
    since: DateTime.Utc,
    until?: DateTime.Utc
  ): Effect.fn.Return<Option.Option<Publication>, Failure> {
    const { complete, videos } = yield* listVideos(config, api, account)
    const from = DateTime.subtractDuration(since, margin)
    const isNew = ({ publishedAt }: ListedVideo) =>
      Option.getOrElse(
        Option.map(publishedAt, (at) => DateTime.isGreaterThanOrEqualTo(at, from)),
        () => post.privacy === "private"
      )
    const isAlike = ({ text, title }: ListedVideo) =>
      comparedText(title) === comparedText(post.title) && comparedText(text) === comparedText(post.text)
    const alike = videos.filter((video) => isAlike(video) && isNew(video))
    if (alike.length > 0) {
      const unresolved = yield* account.others.unresolved(since)
      const contenders = 1 + unresolved.filter((other) => comparedText(other) === comparedText(post.text)).length
      const published = yield* account.others.published(alike.map(({ id }) => id))
      const left = alike.filter(({ id }) => !published.has(id))
      const oldest = left.at(-1)
      if (oldest !== undefined) {
        const known = DateTime.subtractDuration(yield* DateTime.now, deletedTargetRetention)
        if (DateTime.isGreaterThanOrEqualTo(since, known) && left.length >= contenders) {
          return Option.some({ ...publicationOf(config, oldest.id), recognized: true })
        }
        return yield* new OutcomeUnknown({
          message:
            "YouTube shows a video with this title, but another post of this channel with the same title may be the one",
          conclusive: true
        })
      }
    }
    if (!complete) {
      return yield* new OutcomeUnknown({
        message: "YouTube has not shown the video, and the list of the channel's videos is too long to be read whole",
        conclusive: true
      })
    }
    return (yield* isPast(until ?? since, longestRequest))
      ? Option.none()
      : yield* new Unavailable({ message: "YouTube may not show a video yet that was published some minutes ago" })
  })

  const changed = ({ video }: UploadedPost) =>
    new OutcomeUnknown({
      message: `This video has another title or visibility on YouTube than the post, so it was not changed again: ${publicationOf(config, video).url}`,
      conclusive: true
    })

  /** Reading the credentials first checks that this process has its leases and that the account is connected. */
  const repeat = (post: UploadedPost, account: Account): Effect.Effect<Publication, Failure> => {
    const fenced = { ...unwatched, beforePost: Effect.asVoid(account.credentials.current) }
    return carryOut(api, account, (access) => publishVideo(config, post, access), fenced).pipe(
      // These say that this request was not carried out. An earlier one may have been, or may still be.
      Effect.catchTags({
        Accepted: ({ message }) => Effect.fail(open(message)),
        DuplicateRefused: ({ message }) => Effect.fail(open(message)),
        UploadsGone: ({ message }) => Effect.fail(open(message)),
        TooEarly: ({ message }) => Effect.fail(open(message)),
        Rejected: ({ message }) => Effect.fail(open(message)),
        Unavailable: ({ message }) => Effect.fail(open(message))
      })
    )
  }

  const reconcileVideo = Effect.fnUntraced(function* (
    post: UploadedPost,
    account: Account,
    sentAt: DateTime.Utc
  ): Effect.fn.Return<Publication, Failure | Dropped> {
    const state = yield* readState(config, api, account, post)
    switch (phaseOf(post, state)) {
      case "out":
        return publicationOf(config, post.video)
      case "missing":
        return yield* open(notShown)
      case "unusable":
        return yield* new Dropped({
          message: `YouTube shows this video to nobody (${state === "missing" ? "" : state.failure})`
        })
      case "changed":
        return yield* changed(post)
      case "hidden": {
        if (!(yield* isPast(sentAt, repeatWindow))) return yield* repeat(post, account)
        if (!(yield* isPast(sentAt, lastPublication))) return yield* open(unconfirmed)
        return yield* new Dropped({
          message: "YouTube did not publish this video within an hour, and shows it to nobody. Publish it again"
        })
      }
    }
  })

  return {
    reconcile: Effect.fn("Youtube.reconcile")(function* (prepared, account, sentAt) {
      const post = yield* readPost.toReconcile(prepared, account)
      if (isUploaded(post)) {
        const keepOpen = openUntil(DateTime.addDuration(sentAt, longestQuestion), sentAt)
        return yield* keepOpen(reconcileVideo(post, account, sentAt))
      }
      const found = yield* findInList(post, account, sentAt)
      return Option.isSome(found) ? found.value : yield* open(unconfirmed)
    }),
    find: Effect.fn("Youtube.find")(function* (prepared, account, since, until) {
      const post = yield* readPost.toReconcile(prepared, account)
      if (!isUploaded(post)) return yield* findInList(post, account, since, until)
      switch (phaseOf(post, yield* readState(config, api, account, post))) {
        case "out":
          return Option.some(publicationOf(config, post.video))
        case "missing":
          return yield* new OutcomeUnknown({ message: notShown, conclusive: true })
        case "changed":
          return yield* changed(post)
        case "hidden":
          if (!(yield* isPast(until ?? since, longestRequest))) return yield* open(unconfirmed)
          // The post may have been published from an earlier upload, which a restored database does not know.
          return yield* findInList(post, account, since, until)
        case "unusable":
          return yield* findInList(post, account, since, until)
      }
    }),
    unmatched: Effect.fn("Youtube.unmatched")(function* (account, since, until) {
      const { complete, videos } = yield* listVideos(config, api, account)
      const texts = new Set((yield* account.others.unresolved(since)).map(comparedText))
      const published = yield* account.others.published(videos.map(({ id }) => id))
      const end = DateTime.addDuration(until, longestRequest)
      const posts = videos.flatMap(({ id, publishedAt, text, title }) =>
        Option.toArray(publishedAt)
          .filter((at) => DateTime.between(at, { minimum: since, maximum: end }))
          .filter(() => !published.has(id) && !isKey(title) && !texts.has(comparedText(text)))
          .map((createdAt) => ({ id, createdAt, text: title }))
      )
      return {
        posts: posts.toSorted(
          (one, other) => DateTime.toEpochMillis(other.createdAt) - DateTime.toEpochMillis(one.createdAt)
        ),
        complete
      } satisfies UnmatchedPosts
    })
  }
}
