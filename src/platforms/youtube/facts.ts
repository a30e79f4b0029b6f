import type { Facts } from "../Platform.ts"

export const youtube = {
  name: "YouTube",
  aliases: ["yt"],
  mark: "M3.500 3h9C13.900 3 15 4.100 15 5.500v5c0 1.400-1.100 2.500-2.500 2.500h-9A2.500 2.500 0 0 1 1 10.500v-5C1 4.100 2.100 3 3.500 3Zm3.200 2.800v4.400L10.500 8 6.700 5.800Z",
  settings: {
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
  } as const
} satisfies Facts
