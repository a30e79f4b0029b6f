import type { Settings } from "../Platform.ts"

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
  youtube_tags: { kind: "texts", label: "Tags on YouTube", description: "Tags for search." },
  thumbnail_url: { kind: "url", description: "The URL of a custom thumbnail: JPEG or PNG, up to 2 MB." }
} as const satisfies Settings
