import { Option, Schema } from "effect"
import type { Publication } from "../../domain/publishing/platformError.ts"
import type { PlatformResponse } from "../call.ts"
import { readExactly } from "./api.ts"
import type { TiktokConfig } from "./config.ts"
import type { TiktokPost } from "./prepared.ts"
import { isOk } from "./problem.ts"
import { TiktokId } from "./syntax.ts"

const readData = readExactly(
  Schema.Struct({
    data: Schema.Struct({
      status: Schema.String,
      fail_reason: Schema.optionalKey(Schema.Unknown),
      uploaded_bytes: Schema.optionalKey(Schema.Unknown),
      // TikTok's own spelling.
      publicaly_available_post_id: Schema.optionalKey(Schema.Unknown)
    })
  })
)
/** In bytes. */
const isCount = Schema.is(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
const isId = Schema.is(TiktokId)
const isIds = Schema.is(Schema.Array(Schema.Union([Schema.String, Schema.Int])))
const isReason = Schema.is(Schema.String.check(Schema.isPattern(/^\w{1,100}$/)))

/** The fate of an upload, as TikTok tells it. */
export type UploadState =
  /** Bytes are missing; how many is not known if `uploaded` is absent. */
  | { readonly _tag: "Uploading"; readonly uploaded?: number }
  | { readonly _tag: "Working" }
  | { readonly _tag: "Published"; readonly id: string | null }
  /** Certainly not published. */
  | { readonly _tag: "Failed"; readonly reason: string }
  /** The person finishes the post in TikTok's application, perhaps several times. */
  | { readonly _tag: "Inbox" }

const idIn = (ids: unknown): string | null => {
  const id = isIds(ids) ? String(ids[0]) : ""
  return isId(id) ? id : null
}

const uploadingOr = (uploaded: unknown, size: number): UploadState => {
  if (!isCount(uploaded)) return { _tag: "Uploading" }
  return uploaded < size ? { _tag: "Uploading", uploaded } : { _tag: "Working" }
}

/** None if the response has no state. `size` is the video's. */
export const stateIn = (response: PlatformResponse, size: number): Option.Option<UploadState> =>
  !isOk(response)
    ? Option.none()
    : Option.flatMap(readData(response), ({ data }): Option.Option<UploadState> => {
        switch (data.status) {
          case "PROCESSING_UPLOAD":
            return Option.some(uploadingOr(data.uploaded_bytes, size))
          case "PROCESSING_DOWNLOAD":
            return Option.some({ _tag: "Working" })
          case "PUBLISH_COMPLETE":
            return Option.some({ _tag: "Published", id: idIn(data.publicaly_available_post_id) })
          case "FAILED":
            return Option.some({
              _tag: "Failed",
              reason: isReason(data.fail_reason) ? data.fail_reason : "a reason that it does not name"
            })
          case "SEND_TO_USER_INBOX":
            return Option.some({ _tag: "Inbox" })
          default:
            return Option.none()
        }
      })

/** TikTok tells a public video's id once it has checked the video, and no id of any other. */
export const publicationOf = (
  { webUrl }: Pick<TiktokConfig, "webUrl">,
  { seenBy, username = "" }: Pick<TiktokPost, "seenBy" | "username">,
  id: string | null
): Publication =>
  id === null
    ? { platformPostId: null, url: null, ...(seenBy === "everybody" ? { addressFollows: true } : {}) }
    : { platformPostId: id, url: `${webUrl}/@${username}/video/${id}` }
