import type { LiveFacts } from "../Platform.ts"
import * as limits from "./limits.ts"

/** By X's terms, `self-serve` allows one cashtag per post. */
export type TwitterAccess = "self-serve" | "enterprise"

export const twitter = {
  name: "X",
  aliases: ["x", "x.com"],
  mark: "M2 2.5h3.5l2.9 4 3.5-4h1.6L9.1 7.5l4.9 6h-3.5L7.3 9.3l-3.7 4.2H2l4.6-5.2L2 2.5Zm2.2 1.2 7 8.6h1l-6.9-8.6h-1.1Z",
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
