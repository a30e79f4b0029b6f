import type { LiveFacts } from "../Platform.ts"
import * as limits from "./limits.ts"

export const youtube = {
  name: "YouTube",
  aliases: ["yt"],
  mark: "M3.5 3h9C13.9 3 15 4.1 15 5.5v5c0 1.4-1.1 2.5-2.5 2.5h-9A2.5 2.5 0 0 1 1 10.5v-5C1 4.1 2.1 3 3.5 3Zm3.2 2.8v4.4L10.5 8 6.7 5.8Z",
  ownApplication: ["YOUTUBE_CLIENT_ID", "YOUTUBE_CLIENT_SECRET"],
  site: "https://www.youtube.com",
  hosts: ["www.youtube.com", "youtube.com", "m.youtube.com", "youtu.be"],
  postPath: /^\/(?:watch\?v=|(?:shorts|live)\/)?(?<key>[\w-]{11})\/?$/,
  keyParameter: "v",
  exampleUrl: "https://www.youtube.com/watch?v=dQx5mQ1tZ0a",
  lastingPath: (key) => `/watch?v=${key}`,
  profilePath: (username) => (/^UC[\w-]{22}$/.test(username) ? `/channel/${username}` : `/@${username}`),
  image: { longestSide: limits.thumbnailSide, maxBytes: limits.thumbnailBytes, takesWebp: false },
  card: null,
  textUnit: "bytes",
  maxAlt: limits.alt,
  altUnit: "code points",
  recognizedBy: "text",
  hasOneHost: true,
  needsFiles: true,
  needsVideo: true,
  threads: false,
  link: {
    kind: "consent",
    revokes: "none",
    application: "YOUTUBE_CLIENT_ID",
    codeLasts: "a few minutes",
    choosesAccount: true
  }
} satisfies LiveFacts
