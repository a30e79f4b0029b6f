import { Schema } from "effect"

/** LinkedIn's identifiers are checked, because they are stored, and become parts of URLs and texts. */

export const PageUrn = Schema.String.check(
  Schema.isPattern(/^urn:li:organization:\d{1,20}$/, { expected: "the URN of an organization" })
)

export const isPageUrn = Schema.is(PageUrn)

export const PostUrn = Schema.String.check(
  Schema.isPattern(/^urn:li:(?:share|ugcPost|activity):\d{1,20}$/, { expected: "the URN of a post" })
)
export const isPostUrn = Schema.is(PostUrn)

export const ImageUrn = Schema.String.check(
  Schema.isPattern(/^urn:li:(?:image|digitalmediaAsset):[\w-]{1,100}$/, { expected: "the URN of an image" })
)

export const VideoUrn = Schema.String.check(
  Schema.isPattern(/^urn:li:(?:video|digitalmediaAsset):[\w-]{1,100}$/, { expected: "the URN of a video" })
)

export const MediaUrn = Schema.Union([ImageUrn, VideoUrn])
