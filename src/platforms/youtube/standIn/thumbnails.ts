import type { RespondTo } from "../../../sandbox/endpoint.ts"
import { sniff } from "../../../sandbox/media/files.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import * as limits from "../limits.ts"
import { respond, youtubeError } from "./responses.ts"
import type { Videos } from "./videos.ts"

/** A video's own thumbnail. The channel needs a verified phone number. */
export const thumbnailOf =
  ({ files }: StandInMemory, videos: Videos): RespondTo =>
  (account, { bytes, query }) => {
    const video = videos.of(account.id, query.get("videoId") ?? "")
    if (video === undefined) return youtubeError(404, "videoNotFound", "The video cannot be found")
    if (bytes.byteLength === 0) return youtubeError(400, "mediaBodyRequired", "The request has no image")
    const contentType = sniff(bytes)
    const isPicture = contentType === "image/jpeg" || contentType === "image/png"
    if (!isPicture || bytes.byteLength > limits.thumbnailBytes) {
      return youtubeError(400, "invalidImage", "The provided image content is invalid")
    }
    video.thumbnail = `youtube-thumbnail-${video.id}`
    files.put(video.thumbnail, { bytes, contentType })
    return respond(200, { kind: "youtube#thumbnailSetResponse", items: [{}] })
  }
