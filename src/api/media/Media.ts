import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { MediaId } from "../../domain/ids.ts"
import { mediaId } from "../../domain/samples.ts"
import { Authentication } from "../Authentication.ts"
import { Authorization } from "../Authorization.ts"
import { CheckedInput, JsonBody } from "../input.ts"
import { DeletedMedia, MediaFromUrl, MediaPage, MediaUpload, OneMedia, UpdateMedia } from "./mediaBodies.ts"
import { operation } from "../operation.ts"
import { cursorParameter, MediaCursor, limitParameter } from "../pagination.ts"
import {
  MediaQuota,
  PayloadTooLarge,
  RangeNotSatisfiable,
  RateLimited,
  RequestTimeout,
  Unavailable,
  UnsupportedMediaType,
  shown
} from "../problems.ts"
import { MediaRateLimit, RateLimit } from "../RateLimit.ts"

export const defaultMediaLimit = 20

const params = { id: MediaId.annotateKey({ description: "The file's id.", examples: [MediaId.make(mediaId)] }) }

const list = HttpApiEndpoint.get("list", "/", {
  query: {
    limit: limitParameter("files", 100, defaultMediaLimit),
    cursor: cursorParameter(MediaCursor)
  },
  success: MediaPage
})
  .annotateMerge(
    operation({
      id: "listMedia",
      scope: "posts:read",
      summary: "List media",
      description:
        "Lists the files of the workspace's library, newest first. Files that are still being uploaded are not in it."
    })
  )
  .middleware(CheckedInput)

const created = HttpApiSchema.WithHeaders(OneMedia.pipe(HttpApiSchema.status(201)), { location: Schema.String })
const accepted = HttpApiSchema.WithHeaders(OneMedia.pipe(HttpApiSchema.status(202)), { location: Schema.String })

const upload = HttpApiEndpoint.post("upload", "/", {
  payload: MediaUpload.pipe(HttpApiSchema.asMultipartStream()),
  success: created,
  error: [
    MediaQuota,
    shown.MediaUnsupported,
    PayloadTooLarge,
    UnsupportedMediaType,
    RequestTimeout,
    RateLimited,
    Unavailable
  ]
})
  .annotateMerge(
    operation({
      id: "uploadMedia",
      scope: "media:write",
      summary: "Upload a file",
      description:
        "Uploads an image (JPEG, PNG, WebP or GIF, up to 30 MB and 64 megapixels) or a video (MP4, QuickTime or WebM, up to 1 GB) as `multipart/form-data`. " +
        "The type is read from the bytes. The file is then processed, which takes seconds: posts can be scheduled with it once its status is `ready`. " +
        "An upload has no time limit, but has to bring 50 kB/s over any 30 seconds. A workspace has two uploads at a time, and a quota for all its files."
    })
  )
  .middleware(CheckedInput)

const fromUrl = HttpApiEndpoint.post("fromUrl", "/from-url", {
  payload: MediaFromUrl,
  success: accepted,
  error: [MediaQuota, RateLimited, Unavailable]
})
  .annotateMerge(
    operation({
      id: "addMediaFromUrl",
      scope: "media:write",
      summary: "Add a file from a URL",
      description:
        "Fetches an image or a video from a public address, in the background and one at a time for each workspace. If that fails, the file's status is `failed`."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const get = HttpApiEndpoint.get("get", "/:id", { params, success: OneMedia, error: shown.NotFound })
  .annotateMerge(
    operation({
      id: "getMedia",
      scope: "posts:read",
      summary: "Get a file",
      description: "Returns the file's type, size, status and alternative text."
    })
  )
  .middleware(CheckedInput)

const update = HttpApiEndpoint.patch("update", "/:id", {
  params,
  payload: UpdateMedia,
  success: OneMedia,
  error: [shown.NotFound, shown.NotOwnMedia]
})
  .annotateMerge(
    operation({
      id: "updateMedia",
      scope: "media:write",
      summary: "Change a file's alternative text",
      description: "Changes the alternative text that posts get from now on. Posts that have the file keep theirs."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const remove = HttpApiEndpoint.delete("delete", "/:id", {
  params,
  success: DeletedMedia,
  error: [shown.NotFound, shown.InvalidState, shown.NotOwnMedia]
})
  .annotateMerge(
    operation({
      id: "deleteMedia",
      scope: "media:write",
      summary: "Delete a file",
      description: "Deletes the file for good. Refused while a draft, a scheduled or a publishing post has it."
    })
  )
  .middleware(CheckedInput)

export class Media extends HttpApiGroup.make("media")
  .add(list, upload, fromUrl, get, update, remove)
  .middleware(Authorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/media")
  .annotateMerge(OpenApi.annotations({ title: "Media", description: "Images, GIFs and videos for posts." })) {}

const bytes = HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" })

const content = HttpApiEndpoint.get("content", "/:id/content", {
  params,
  success: bytes,
  error: [shown.NotFound, RangeNotSatisfiable, Unavailable]
})
  .annotateMerge(
    operation({
      id: "getMediaContent",
      scope: "posts:read",
      summary: "Download a file",
      description:
        "Returns the bytes as they were uploaded, with their type. Takes a `Range` of bytes, and `If-None-Match` with the `ETag`. Has a rate limit of its own, of 1,200 requests a minute together with thumbnails."
    })
  )
  .middleware(CheckedInput)

const thumbnail = HttpApiEndpoint.get("thumbnail", "/:id/thumbnail", {
  params,
  success: bytes,
  error: [shown.NotFound, RangeNotSatisfiable, Unavailable]
})
  .annotateMerge(
    operation({
      id: "getMediaThumbnail",
      scope: "posts:read",
      summary: "Download a thumbnail",
      description:
        "Returns a WebP of up to 640 pixels; of a GIF its first frame. Videos have none. It never changes, so clients may keep it."
    })
  )
  .middleware(CheckedInput)

export class MediaContent extends HttpApiGroup.make("mediaContent")
  .add(content, thumbnail)
  .middleware(Authorization)
  .middleware(MediaRateLimit)
  .middleware(Authentication)
  .prefix("/v1/media")
  .annotateMerge(OpenApi.annotations({ title: "Media content", description: "The bytes of media." })) {}
