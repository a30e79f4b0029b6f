import { isBlank } from "../../domain/plain/blankText.ts"
import type { PlatformSettings } from "../../domain/posts/platformSettings.ts"
import type { Form } from "../meta/dialect.ts"
import type { MetaUploads } from "../meta/files.ts"
import type { SentFile } from "../meta/sentFile.ts"
import type { Kind } from "./dialect.ts"
import { instagram as preview } from "./preview.ts"
import { usernameOf } from "./rules/collaborators.ts"

type Settings = NonNullable<PlatformSettings["instagram"]>

/** A single video of a post is a reel that the profile's grid shows, too. */
export const kindOf = (uploads: MetaUploads | undefined, { post_type }: Settings): Kind => {
  if (post_type === "story") return "STORY"
  if (uploads !== undefined && "children" in uploads) return "CAROUSEL"
  return post_type === "reel" || uploads?.file.kind === "VIDEO" ? "REEL" : "IMAGE"
}

/** The text as it is published: stories have no caption. */
export const captionOf = (text: string, settings: Settings): string =>
  !preview.showsText(settings) || isBlank(text) ? "" : text

/** The form of a container with one file, without the caption. Without a URL, the file's bytes follow. */
export const fileForm = (
  kind: Kind,
  { alt, kind: type }: SentFile,
  url: string | undefined,
  { cover_at }: Settings
): Form => {
  const address: Form =
    url === undefined ? { upload_type: "resumable" } : { [type === "VIDEO" ? "video_url" : "image_url"]: url }
  switch (kind) {
    case "STORY":
      return { media_type: "STORIES", ...address }
    case "REEL":
      return {
        media_type: "REELS",
        ...address,
        share_to_feed: "true",
        ...(cover_at === undefined ? {} : { thumb_offset: String(Math.round(Number(cover_at) * 1000)) })
      }
    default:
      return { ...address, ...(alt === "" ? {} : { alt_text: alt }) }
  }
}

/** The members that the whole post has. */
export const postForm = (text: string, settings: Settings): Form => {
  const { collaborators = [], post_type } = settings
  const caption = captionOf(text, settings)
  return {
    ...(caption === "" ? {} : { caption }),
    ...(collaborators.length === 0 || post_type === "story"
      ? {}
      : { collaborators: JSON.stringify(collaborators.map(usernameOf)) })
  }
}
