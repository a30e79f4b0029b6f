import type { Settings } from "../Platform.ts"

export const youtube = {
  title: { kind: "text", description: "The video's title; required for a video." },
  privacy: {
    kind: "choice",
    description: "Who can see the video.",
    label: "Who can see the video",
    choices: { public: "Everyone", private: "Only you", unlisted: "Everyone with the link" }
  },
  made_for_kids: { kind: "flag", description: "Whether the video is directed to children." },
  youtube_tags: { kind: "texts", description: "Tags for search." },
  thumbnail_url: { kind: "url", description: "The URL of a custom thumbnail: JPEG or PNG, up to 2 MB." }
} as const satisfies Settings
