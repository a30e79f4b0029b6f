import { DateTime, Duration, Schema } from "effect"
import { preparedPostReader, storedForm, uploadsReader } from "../preparedPost.ts"
import { tiktok as facts } from "./facts.ts"
import * as limits from "./limits.ts"
import { OpenId, PublishId, TiktokUsername } from "./syntax.ts"

/** The file of a post. TikTok gets its bytes only with the post's settings, so nothing is uploaded ahead. */
export const SentVideo = Schema.Struct({
  hash: Schema.String,
  contentType: Schema.String,
  size: Schema.Int.check(Schema.isGreaterThan(0)),
  /** Null if it is not known. */
  durationMs: Schema.NullOr(Schema.Finite)
})
export type SentVideo = typeof SentVideo.Type

const TiktokUploads = Schema.Struct({ video: SentVideo })
export const encodeUploads = Schema.encodeSync(TiktokUploads)
export const readUploads = uploadsReader(facts.name, TiktokUploads)

/** An upload on TikTok, whose last chunk publishes the video. */
export const Upload = Schema.Struct({
  publishId: PublishId,
  url: Schema.String.check(Schema.isMaxLength(2_048)),
  video: SentVideo,
  begunAt: Schema.DateTimeUtcFromString,
  /** True if TikTok has said that it got all bytes, so that the video may be out before its last chunk is sent. */
  isWhole: Schema.optionalKey(Schema.Boolean)
})
export type Upload = typeof Upload.Type

const storedAs = storedForm("TiktokPost")

const TiktokPost = Schema.Struct({
  ...storedAs.fields,
  accountId: OpenId,
  text: Schema.String,
  /** A video that only some can see never has an address. */
  seenBy: Schema.Literals(["everybody", "some"]),
  /** The account's name when the upload was begun. Absent, as the upload is, if the post is only looked for. */
  username: Schema.optionalKey(TiktokUsername),
  /** All of its chunks but the last have arrived. */
  upload: Schema.optionalKey(Upload)
})
export type TiktokPost = typeof TiktokPost.Type
const encode = Schema.encodeSync(TiktokPost)

export const encodePost = (post: Omit<TiktokPost, "_tag" | "version">) => encode({ ...storedAs.members, ...post })

export const readPost = preparedPostReader(facts.name, TiktokPost, ({ accountId }) => accountId)

/** An upload that is older takes no more bytes. */
const lifetime = Duration.minutes(limits.uploadMinutes)

/** Chunks are sent up to this time before the end, so that they arrive. */
const margin = Duration.minutes(5)

/** From this time on, no byte can arrive any more that was sent in time. */
const settling = Duration.minutes(60)

export const takesBytes = ({ begunAt }: Pick<Upload, "begunAt">, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(now, DateTime.addDuration(begunAt, Duration.subtract(lifetime, margin)))

export const hasEnded = ({ begunAt }: Pick<Upload, "begunAt">, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(begunAt, Duration.sum(lifetime, settling)))
