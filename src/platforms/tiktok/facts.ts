import type { LiveFacts } from "../Platform.ts"

/** Sizes in bytes, sides in pixels, times in milliseconds. */
const limits = {
  /** In UTF-16 code units. */
  text: 2_200,
  videoBytes: 4_000_000_000,
  shortestSide: 360,
  longestSide: 4_096,
  slowestFrames: 23,
  fastestFrames: 60,
  /** The longest video of any account. Each account names its own limit when a video is sent. */
  longestVideo: 600_000,
  /** The smallest part of an upload that is not the whole video. */
  chunkBytes: 5_242_880,
  chunks: 1_000,
  /** Minutes for which an upload takes bytes. */
  uploadMinutes: 60,
  /** Requests a minute, for each account. */
  beginningsPerMinute: 6,
  statesPerMinute: 30,
  creatorsPerMinute: 20,
  /** In any 24 hours, over all applications. */
  postsPerDay: 15,
  /** Days after which an unused refresh token ends. */
  refreshDays: 180
} as const

export const tiktok = {
  name: "TikTok",
  aliases: ["tt"],
  mark: "M8.400 1.800h2.200c.1 1.600 1.100 2.700 2.800 2.800v2.200c-1 0-2-.3-2.800-.9v4.300c0 5-7 5.400-7.600.9-.4-2.900 2.200-4.700 4.600-4.100v2.300c-1.300-.4-2.400.4-2.300 1.600.2 1.700 3.100 1.600 3.100-.7V1.800Z",
  limits,
  ownApplication: ["TIKTOK_CLIENT_KEY", "TIKTOK_CLIENT_SECRET"],
  site: "https://www.tiktok.com",
  hosts: ["www.tiktok.com", "tiktok.com", "m.tiktok.com"],
  postPath: /^\/@(?:(?<account>[\w.]{1,64}))?\/video\/(?<key>[1-9]\d{5,18})(?:\/|$)/,
  exampleUrl: "https://www.tiktok.com/@acme/video/7412345678901234567",
  lastingPath: (key) => `/@/video/${key}`,
  profilePath: (username) => `/@${encodeURIComponent(username)}`,
  /** Images are not accepted. */
  image: { longestSide: limits.longestSide, maxBytes: 20_000_000 },
  card: null,
  textUnit: "characters",
  /** TikTok shows none, so each is accepted. */
  maxAlt: 10_000,
  altUnit: "code points",
  recognizedBy: "text",
  hasOneHost: true,
  needsFiles: true,
  needsVideo: true,
  threads: false,
  asksOptions: true,
  terms:
    "By posting, you agree to TikTok’s Music Usage Confirmation and, for branded content, to its Branded Content Policy.",
  link: {
    kind: "consent",
    revokes: "all",
    application: "TIKTOK_CLIENT_KEY",
    codeLasts: "a few minutes"
  }
} satisfies LiveFacts
