import type { LiveFacts } from "../Platform.ts"

/** By X's terms, `self-serve` allows one cashtag per post. */
export type TwitterAccess = "self-serve" | "enterprise"

/** Times in milliseconds, sizes in bytes, sides in pixels. */
const limits = {
  text: 280,
  /** Every link counts as this length. */
  link: 23,
  /** In code points. */
  alt: 1_000,
  imageBytes: 5_000_000,
  /** X shows images with up to this many pixels a side. */
  imageSide: 4_096,
  gifBytes: 15_000_000,
  gifLongestSide: 1280,
  gifShortestSide: 1080,
  gifFrames: 350,
  /** Over all frames. */
  gifPixels: 300_000_000,
  /** Premium accounts have this. Others have 8 GB. */
  videoBytes: 16_000_000_000,
  /** Premium accounts have this. Others have 20 minutes. */
  longestVideo: 125 * 60_000,
  /** Up to here, X took videos from every account before September 2026. Beyond, the account decides. */
  videoOfEveryAccount: 140_000,
  shortestVideo: 500,
  /** "Media best practices" has 1280x1024, and says that subscribers upload 1080p. */
  videoLongestSide: 1920,
  videoShortestSide: 1200,
  videoSmallestSide: 32,
  videoRatio: 3,
  videoFrameRate: 60,
  audioChannels: 2,
  videoBitDepth: 8,
  keyframeDistance: 512,
  uploadSegments: 1_000
} as const

export const twitter = {
  name: "X",
  aliases: ["x", "x.com"],
  mark: "M2 2.5h3.5l2.9 4 3.5-4h1.6L9.1 7.5l4.9 6h-3.5L7.3 9.3l-3.7 4.2H2l4.6-5.2L2 2.5Zm2.2 1.2 7 8.6h1l-6.9-8.6h-1.1Z",
  limits,
  site: "https://x.com",
  hosts: ["x.com", "www.x.com", "mobile.x.com", "twitter.com", "www.twitter.com", "mobile.twitter.com"],
  postPath: /^\/(?:i\/web|i|(?<account>[^/]+))\/status\/(?<key>[1-9]\d{0,18})(?:\/|$)/,
  exampleUrl: "https://x.com/acme/status/1892345678901234567",
  lastingPath: (key) => `/i/status/${key}`,
  profilePath: (username) => `/${encodeURIComponent(username)}`,
  image: { longestSide: limits.imageSide, maxBytes: limits.imageBytes },
  card: null,
  textUnit: "weighted characters",
  maxAlt: limits.alt,
  altUnit: "code points",
  recognizedBy: "text",
  hasOneHost: true,
  link: {
    kind: "consent",
    revokes: "all",
    application: "TWITTER_CLIENT_ID",
    codeLasts: "half a minute"
  }
} satisfies LiveFacts
