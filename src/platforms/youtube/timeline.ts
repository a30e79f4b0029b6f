import { DateTime, Effect, Option, Schema } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type PlatformError, Unavailable } from "../../domain/publishing/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import { failAt } from "../outcome.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import { readFrom, type YoutubeApi } from "./api.ts"
import type { YoutubeConfig } from "./config.ts"
import { refusedIdly } from "./problem.ts"
import { VideoId } from "./syntax.ts"

const Playlist = Schema.String.check(Schema.isPattern(/^[\w-]{2,100}$/))

const readChannels = readResponse(
  Schema.Struct({
    kind: Schema.Literal("youtube#channelListResponse"),
    items: Schema.Tuple([
      Schema.Struct({
        contentDetails: Schema.Struct({ relatedPlaylists: Schema.Struct({ uploads: Playlist }) })
      })
    ])
  })
)

const readPage = readResponse(
  Schema.Struct({
    kind: Schema.Literal("youtube#playlistItemListResponse"),
    items: Schema.Array(Schema.Unknown),
    nextPageToken: Schema.optionalKey(Schema.String)
  })
)

const decodeItem = Schema.decodeUnknownOption(
  Schema.Struct({
    snippet: Schema.Struct({ title: Schema.String, description: Schema.optionalKey(Schema.String) }),
    contentDetails: Schema.Struct({ videoId: VideoId, videoPublishedAt: Schema.optionalKey(Schema.String) }),
    status: Schema.Struct({ privacyStatus: Schema.String })
  })
)

export interface ListedVideo {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly privacy: string
  /** None while the video was never visible. */
  readonly publishedAt: Option.Option<DateTime.Utc>
}

const toVideo = (item: unknown): ReadonlyArray<ListedVideo> =>
  Option.toArray(
    Option.map(decodeItem(item), ({ contentDetails, snippet, status }) => ({
      id: contentDetails.videoId,
      title: snippet.title,
      text: snippet.description ?? "",
      privacy: status.privacyStatus,
      publishedAt: Option.flatMap(Option.fromUndefinedOr(contentDetails.videoPublishedAt), DateTime.make)
    }))
  )

const maxPages = 5

const unreadable = (response: PlatformResponse) =>
  failAt((now): PlatformError => {
    const error =
      response.status === 200
        ? new Unavailable({ message: "YouTube did not list the channel's videos" })
        : refusedIdly(response, now)
    return error._tag === "Rejected" ? new Unavailable({ message: error.message }) : error
  })

/** The channel's own videos, also those that nobody else sees. Newest first; incomplete if there are more. */
export const listVideos = Effect.fn("Youtube.listVideos")(function* (
  config: YoutubeConfig,
  { ask }: YoutubeApi,
  account: AccountAccess
): Effect.fn.Return<
  { readonly videos: ReadonlyArray<ListedVideo>; readonly complete: boolean },
  PlatformError | DatabaseUnavailable
> {
  const answered = yield* ask(account, readFrom(config, "/channels", { part: "contentDetails", id: account.accountId }))
  const channels = answered.status === 200 ? readChannels(answered) : Option.none()
  if (Option.isNone(channels)) return yield* unreadable(answered)
  const [channel] = channels.value.items
  const videos: Array<ListedVideo> = []
  let pageToken: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const request = readFrom(config, "/playlistItems", {
      part: "snippet,contentDetails,status",
      playlistId: channel.contentDetails.relatedPlaylists.uploads,
      maxResults: "50",
      ...(pageToken === undefined ? {} : { pageToken })
    })
    const response = yield* ask(account, request)
    const read = response.status === 200 ? readPage(response) : Option.none()
    if (Option.isNone(read)) return yield* unreadable(response)
    videos.push(...read.value.items.flatMap(toVideo))
    pageToken = read.value.nextPageToken
    if (pageToken === undefined) return { videos, complete: true }
  }
  return { videos, complete: false }
})

/** The id of the channel's video with this title, among the newest ones. */
export const findByTitle = (
  config: YoutubeConfig,
  api: YoutubeApi,
  account: AccountAccess,
  title: string
): Effect.Effect<Option.Option<string>, PlatformError | DatabaseUnavailable> =>
  Effect.map(listVideos(config, api, account), ({ videos }) =>
    Option.fromUndefinedOr(videos.find((video) => video.title === title)?.id)
  )
