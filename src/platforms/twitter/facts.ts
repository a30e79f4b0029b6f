import type { LiveFacts } from "../Platform.ts"

/** By X's terms, `self-serve` allows one cashtag per post. */
export type TwitterAccess = "self-serve" | "enterprise"

const text = { source: "twitter-text 3.1.0 and docs.x.com, Counting characters", checked: "2026-11-21" }
const bestPractices = { source: "docs.x.com, Media best practices (xdevplatform/docs 0c986f00)", checked: "2026-11-28" }
const document = { source: "X's OpenAPI document, 2.167", checked: "2026-11-21" }
const help = { source: "help.x.com, How to share and watch videos", checked: "2026-11-21" }
const reported = { source: "reported: others' uploads that X refused after processing", checked: "2026-11-28" }

/** Times in milliseconds, sizes in bytes, sides in pixels. */
const limits = {
  text: { value: 280, ...text },
  /** Every link counts as this length. */
  link: { value: 23, ...text },
  /** In code points. */
  alt: { value: 1_000, ...document },
  imageBytes: { value: 5_000_000, ...bestPractices },
  /** X shows images with up to this many pixels a side. */
  imageSide: { value: 4_096, source: "help.x.com, Posting pictures", checked: "2026-11-21" },
  gifBytes: { value: 15_000_000, ...bestPractices },
  gifLongestSide: { value: 1280, ...bestPractices },
  gifShortestSide: { value: 1080, ...bestPractices },
  gifFrames: { value: 350, ...bestPractices },
  /** Over all frames. */
  gifPixels: { value: 300_000_000, ...bestPractices },
  /** Premium accounts have this. Others have 8 GB. */
  videoBytes: { value: 16_000_000_000, ...bestPractices },
  /** Premium accounts have this. Others have 20 minutes. */
  longestVideo: { value: 125 * 60_000, ...bestPractices },
  /** Up to here, X took videos from every account before September 2026. Beyond, the account decides. */
  videoOfEveryAccount: { value: 140_000, source: "X's changelog of 2026-09-01", checked: "2026-11-28" },
  shortestVideo: { value: 500, ...bestPractices },
  /** "Media best practices" has 1280x1024, and says that subscribers upload 1080p. */
  videoLongestSide: { value: 1920, ...help },
  videoShortestSide: { value: 1200, ...help },
  videoSmallestSide: { value: 32, ...bestPractices },
  videoRatio: { value: 3, ...bestPractices },
  videoFrameRate: { value: 60, ...bestPractices },
  audioChannels: { value: 2, ...bestPractices },
  videoBitDepth: { value: 8, ...reported },
  keyframeDistance: { value: 512, ...reported },
  uploadSegments: { value: 1_000, ...document }
} as const

export const twitter = {
  name: "X",
  aliases: ["x", "x.com"],
  mark: "M2 2.5h3.5l2.9 4 3.5-4h1.6L9.1 7.5l4.9 6h-3.5L7.3 9.3l-3.7 4.2H2l4.6-5.2L2 2.5Zm2.2 1.2 7 8.6h1l-6.9-8.6h-1.1Z",
  limits,
  settings: {
    who_can_reply: {
      kind: "choice",
      description: "Who can reply; `mentionedUsers` are the users that the text mentions.",
      label: "Who may reply on X",
      choices: {
        everyone: "Everyone",
        following: "Accounts you follow",
        mentionedUsers: "Only mentioned accounts",
        subscribers: "Subscribers",
        verified: "Verified accounts"
      },
      default: "everyone"
    }
  } as const,
  site: "https://x.com",
  hosts: ["x.com", "www.x.com", "mobile.x.com", "twitter.com", "www.twitter.com", "mobile.twitter.com"],
  postPath: /^\/(?:i\/web|i|(?<account>[^/]+))\/status\/(?<key>[1-9]\d{0,18})(?:\/|$)/,
  exampleUrl: "https://x.com/acme/status/1892345678901234567",
  lastingPath: (key) => `/i/status/${key}`,
  profilePath: (username) => `/${encodeURIComponent(username)}`,
  image: { longestSide: limits.imageSide.value, maxBytes: limits.imageBytes.value },
  preview: {
    mention: /(?<![\p{L}\p{N}_@])[@＠][A-Za-z0-9_]{1,15}(?![A-Za-z0-9_@])/u,
    shorten: (url) => {
      const plain = url.replace(/^https?:\/\/(?:www\.)?/i, "")
      const { value: length } = limits.link
      return plain.length <= length ? plain : `${plain.slice(0, length - 1)}…`
    }
  },
  card: null,
  textUnit: "weighted characters",
  maxAlt: limits.alt.value,
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
