import type { Settings } from "../Platform.ts"
import * as limits from "./limits.ts"

export const youtube = {
  title: { kind: "text", label: "Title on YouTube", description: "The video's title; required for a video." },
  privacy: {
    kind: "choice",
    description: "Who can see the video.",
    label: "Who can see the video on YouTube",
    choices: { public: "Everyone", private: "Only you", unlisted: "Everyone with the link" },
    default: "public"
  },
  made_for_kids: { kind: "flag", label: "Made for kids", description: "Whether the video is directed to children." },
  youtube_tags: {
    kind: "texts",
    label: "Tags on YouTube",
    hint: "Such as coffee, roasting.",
    description: "Tags for search."
  },
  thumbnail_url: {
    kind: "url",
    label: "Address of a thumbnail for YouTube",
    hint: "Of a JPEG or PNG of up to 2 MB. It is fetched and kept when the post is scheduled.",
    description:
      "The URL of a custom thumbnail: JPEG or PNG, up to 2 MB. The picture is fetched and kept when the post is scheduled. The channel needs a verified phone number.",
    picture: {
      keptAs: "thumbnail",
      contentTypes: ["image/jpeg", "image/png"],
      maxBytes: limits.thumbnailBytes,
      longestSide: limits.thumbnailSide
    }
  },
  thumbnail: {
    kind: "kept",
    description:
      "The picture that `thumbnail_url` had when the post was scheduled. Set by the service, and ignored in requests."
  }
} as const satisfies Settings
