import type { LiveFacts } from "../Platform.ts"
import * as limits from "./limits.ts"

export const tiktok = {
  name: "TikTok",
  aliases: ["tt"],
  mark: "M8.4 1.8h2.2c.1 1.6 1.1 2.7 2.8 2.8v2.2c-1 0-2-.3-2.8-.9v4.3c0 5-7 5.4-7.6.9-.4-2.9 2.2-4.7 4.6-4.1v2.3c-1.3-.4-2.4.4-2.3 1.6.2 1.7 3.1 1.6 3.1-.7V1.8Z",
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
