import { type Endpoint, endpoint, type RespondTo } from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { deletionOf, postOf } from "../../../sandbox/state/entry.ts"
import { readMetadata } from "./checks.ts"
import { thumbnailOf } from "./thumbnails.ts"
import { authorized, respond, youtubeError } from "./responses.ts"
import { youtubeTokens } from "./tokenEndpoints.ts"
import { uploadsOf } from "./uploads.ts"
import { itemOf, makeVideos, resourceOf, uploadsPlaylist, type Videos } from "./videos.ts"

const unknown = youtubeError(404, "videoNotFound", "The video that you are trying to update cannot be found")

export const youtubePosts = (memory: StandInMemory, videos: Videos = makeVideos()): ReadonlyArray<Endpoint> => {
  const { platform } = memory
  const { session, start } = uploadsOf(memory, videos)

  const read: RespondTo = (account, { now, oddity, query }) => {
    const video = videos.of(account.id, query.get("id") ?? "")
    // A new video may be unknown elsewhere for some seconds.
    const items = video === undefined || oddity?.kind === "unseen" ? [] : [resourceOf(video, now)]
    return respond(200, {
      kind: "youtube#videoListResponse",
      items,
      pageInfo: { totalResults: items.length, resultsPerPage: items.length }
    })
  }

  /** Replaces both parts as a whole. The first change of a video publishes it; a repetition changes nothing. */
  const update: RespondTo = (account, { body, now, query }, state) => {
    if (query.getAll("part").join(",") !== "snippet,status")
      return youtubeError(400, "unexpectedPart", "Unexpected part")
    const metadata = readMetadata(body, "category")
    if (!("snippet" in metadata)) return metadata
    const video = videos.of(account.id, metadata.id ?? "")
    if (video === undefined) return unknown
    const { snippet, status } = metadata
    video.snippet = snippet
    video.status = { privacyStatus: "public", ...status }
    const { privacyStatus = "public" } = video.status
    if (privacyStatus !== "private") video.publishedAt ??= now
    const isKnown = state.post(platform, account.id, video.id) !== undefined
    const entry = postOf(account, {
      id: video.id,
      at: now,
      text: snippet.description ?? "",
      title: snippet.title,
      media: [
        {
          id: `youtube-${video.id}`,
          key: video.id,
          type: "video",
          alt: "",
          ...(video.thumbnail === undefined ? {} : { poster: video.thumbnail })
        }
      ],
      replySettings: privacyStatus === "public" ? null : privacyStatus
    })
    return { ...respond(200, resourceOf(video, now)), entries: isKnown ? [] : [entry] }
  }

  const remove: RespondTo = (account, { query }, state) => {
    const id = query.get("id") ?? ""
    const post = state.post(platform, account.id, id)
    if (videos.of(account.id, id) === undefined && post === undefined) return unknown
    videos.remove(id)
    return { status: 204, entries: post === undefined ? [] : [deletionOf(post)] }
  }

  /** Also those that nobody else sees. */
  const list: RespondTo = (account, { now, oddity, query }) => {
    if (query.get("playlistId") !== uploadsPlaylist(account.id)) {
      return youtubeError(404, "playlistNotFound", "The playlist cannot be found")
    }
    const lag = oddity?.kind === "lag" ? oddity.ms : 0
    const begin = Number(query.get("pageToken") ?? "0")
    const end = begin + Math.min(Number(query.get("maxResults") ?? "5"), 50)
    const all = videos.ofChannel(account.id).filter(({ uploadedAt = now }) => now >= uploadedAt + lag)
    return respond(200, {
      kind: "youtube#playlistItemListResponse",
      items: all.slice(begin, end).map(itemOf),
      ...(end < all.length ? { nextPageToken: String(end) } : {})
    })
  }

  const root = "/google/youtube/v3"
  return [
    ...youtubeTokens(memory),
    endpoint("upload", "POST", "/google/upload/youtube/v3/videos", authorized(start)),
    endpoint("upload", "PUT", "/google/upload/youtube/v3/videos", authorized(session)),
    endpoint("upload", "POST", "/google/upload/youtube/v3/thumbnails/set", authorized(thumbnailOf(memory, videos))),
    endpoint("publish", "PUT", `${root}/videos`, authorized(update)),
    endpoint("timeline", "GET", `${root}/videos`, authorized(read)),
    endpoint("timeline", "GET", `${root}/playlistItems`, authorized(list)),
    endpoint("delete", "DELETE", `${root}/videos`, authorized(remove))
  ]
}
