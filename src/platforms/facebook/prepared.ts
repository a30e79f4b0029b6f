import { Schema } from "effect"
import { preparedPostReader, storedForm, uploadsReader } from "../preparedPost.ts"
import { MetaId } from "../meta/syntax.ts"
import { PostId } from "./syntax.ts"

const uploadsAs = storedForm("FacebookUploads")

/** Unpublished photos or a reel's video, which only the Page `accountId` can use. */
const FacebookUploads = Schema.Struct({
  ...uploadsAs.fields,
  accountId: MetaId,
  photos: Schema.Array(MetaId),
  video: Schema.optionalKey(MetaId)
})
export type FacebookUploads = typeof FacebookUploads.Type
const encodeStoredUploads = Schema.encodeSync(FacebookUploads)
export const encodeUploads = (uploads: Omit<FacebookUploads, "_tag" | "version">) =>
  encodeStoredUploads({ ...uploadsAs.members, ...uploads })

/**
 * An unpublished video of the Page `accountId`. Its tag is another one, because a version that does not know such
 * videos must not post the text alone.
 */
const UploadedVideo = Schema.TaggedStruct("FacebookVideo", {
  version: Schema.Literal(1),
  accountId: MetaId,
  pageVideo: MetaId
})
const encodeStoredVideo = Schema.encodeSync(UploadedVideo)
export const encodeUploadedVideo = (video: Omit<typeof UploadedVideo.Type, "_tag" | "version">) =>
  encodeStoredVideo({ _tag: "FacebookVideo", version: 1, ...video })

export const readUploads = uploadsReader("Facebook", Schema.Union([FacebookUploads, UploadedVideo]))

const storedAs = storedForm("FacebookPost")

const FacebookPost = Schema.Struct({
  ...storedAs.fields,
  accountId: MetaId,
  text: Schema.String,
  /** The unpublished post, which `is_published` publishes. Absent for a reel or another video. */
  post: Schema.optionalKey(PostId),
  /** A reel's video. */
  video: Schema.optionalKey(MetaId),
  /** An unpublished video that is no reel, which `published` publishes. */
  pageVideo: Schema.optionalKey(MetaId),
  photos: Schema.Array(MetaId),
  /** The time before which the post was made. */
  madeAt: Schema.DateTimeUtcFromString
})
export type FacebookPost = typeof FacebookPost.Type

const encode = Schema.encodeSync(FacebookPost)

export const encodePost = (post: Omit<FacebookPost, "_tag" | "version">) => encode({ ...storedAs.members, ...post })

export const readPost = preparedPostReader("Facebook", FacebookPost, ({ accountId }) => accountId)
