import { Schema } from "effect"
import { preparedPostReader, storedForm, uploadsReader } from "../preparedPost.ts"
import { ChannelId, VideoId } from "./syntax.ts"

const uploadsAs = storedForm("YoutubeUploads")

/** A processed video that only the channel `accountId` sees. Its title is `key`. */
const YoutubeUploads = Schema.Struct({
  ...uploadsAs.fields,
  accountId: ChannelId,
  video: VideoId,
  key: Schema.String
})
const encodeStoredUploads = Schema.encodeSync(YoutubeUploads)
export const encodeUploads = (uploads: Omit<typeof YoutubeUploads.Type, "_tag" | "version">) =>
  encodeStoredUploads({ ...uploadsAs.members, ...uploads })

export const readUploads = uploadsReader("YouTube", YoutubeUploads)

const members = {
  accountId: ChannelId,
  title: Schema.String,
  /** The description. */
  text: Schema.String,
  privacy: Schema.Literals(["public", "unlisted", "private"]),
  audience: Schema.Literals(["children", "general"]),
  tags: Schema.Array(Schema.String),
  madeAt: Schema.DateTimeUtcFromString
}

const storedAs = storedForm("YoutubePost")

/** A post whose video is uploaded: it has the title `key` until it is published. */
const UploadedPost = Schema.Struct({ ...storedAs.fields, ...members, video: VideoId, key: Schema.String })
export type UploadedPost = typeof UploadedPost.Type

/** A post that is only looked for, because its video is not known. */
const SoughtPost = Schema.TaggedStruct("YoutubeSought", { version: Schema.Literal(1), ...members })
export type SoughtPost = typeof SoughtPost.Type

const encodeUploaded = Schema.encodeSync(UploadedPost)
export const encodePost = (post: Omit<UploadedPost, "_tag" | "version">) =>
  encodeUploaded({ ...storedAs.members, ...post })

const encodeStoredSought = Schema.encodeSync(SoughtPost)
export const encodeSought = (post: Omit<SoughtPost, "_tag" | "version">) =>
  encodeStoredSought({ _tag: "YoutubeSought", version: 1, ...post })

export const isUploaded = (post: UploadedPost | SoughtPost): post is UploadedPost => post._tag !== "YoutubeSought"

export const readPost = preparedPostReader(
  "YouTube",
  Schema.Union([UploadedPost, SoughtPost]),
  ({ accountId }) => accountId
)
