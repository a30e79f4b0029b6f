import type { LiveFacts } from "../Platform.ts"

/** Sizes in bytes, sides in pixels, times in milliseconds. */
const limits = {
  /** The description, in bytes of UTF-8. */
  text: 5_000,
  /** In UTF-16 code units, which are never fewer than other units. */
  title: 100,
  /** All tags with the commas between them. A tag with a space counts its quotes, too. */
  tags: 500,
  /** In code points. */
  alt: 10_000,
  thumbnailBytes: 2_000_000,
  thumbnailSide: 1_280,
  videoBytes: 1_000_000_000,
  longestVideo: 43_200_000,
  /** Longer videos need a channel with a verified phone number. */
  longestUnverified: 900_000,
  /** Chunks of an upload are multiples of this. */
  chunkBytes: 262_144,
  /** The uploads of all accounts of the application together. */
  uploadsPerDay: 100
} as const

export const youtube = {
  name: "YouTube",
  aliases: ["yt"],
  mark: "M3.5 3h9C13.9 3 15 4.1 15 5.5v5c0 1.4-1.1 2.5-2.5 2.5h-9A2.5 2.5 0 0 1 1 10.5v-5C1 4.1 2.1 3 3.5 3Zm3.2 2.8v4.4L10.5 8 6.7 5.8Z",
  limits,
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
