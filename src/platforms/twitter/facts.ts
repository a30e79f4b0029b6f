import type { LiveFacts } from "../Platform.ts"

/** By X's terms, `self-serve` allows one cashtag per post. */
export type TwitterAccess = "self-serve" | "enterprise"

/** Every link counts as this length. */
const linkLength = 23

export const twitter = {
  name: "X",
  aliases: ["x", "x.com"],
  mark: "M2 2.5h3.5l2.9 4 3.5-4h1.6L9.1 7.5l4.9 6h-3.5L7.3 9.3l-3.7 4.2H2l4.6-5.2L2 2.5Zm2.2 1.2 7 8.6h1l-6.9-8.6h-1.1Z",
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
  // X shows images with up to 4,096 pixels.
  image: { longestSide: 4_096, maxBytes: 5_000_000 },
  preview: {
    mention: /(?<![\p{L}\p{N}_@])[@＠][A-Za-z0-9_]{1,15}(?![A-Za-z0-9_@])/u,
    shorten: (url) => {
      const plain = url.replace(/^https?:\/\/(?:www\.)?/i, "")
      return plain.length <= linkLength ? plain : `${plain.slice(0, linkLength - 1)}…`
    }
  },
  card: null,
  textUnit: "weighted characters",
  maxAlt: 1_000,
  recognizedBy: "text",
  hasOneHost: true,
  link: {
    kind: "consent",
    revokes: "all",
    application: "TWITTER_CLIENT_ID",
    codeLasts: "half a minute"
  }
} satisfies LiveFacts
