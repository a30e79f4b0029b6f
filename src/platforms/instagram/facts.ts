import type { LiveFacts } from "../Platform.ts"
import * as limits from "./limits.ts"

export const instagram = {
  name: "Instagram",
  aliases: ["ig", "insta"],
  mark: "M5 1.8h6A3.2 3.2 0 0 1 14.2 5v6a3.2 3.2 0 0 1-3.2 3.2H5A3.2 3.2 0 0 1 1.8 11V5A3.2 3.2 0 0 1 5 1.8Zm0 1.4A1.8 1.8 0 0 0 3.2 5v6c0 1 .8 1.8 1.8 1.8h6c1 0 1.8-.8 1.8-1.8V5c0-1-.8-1.8-1.8-1.8H5Zm3 1.7a3.1 3.1 0 1 1 0 6.2 3.1 3.1 0 0 1 0-6.2Zm0 1.4a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4Z",
  ownApplication: ["INSTAGRAM_CLIENT_ID", "INSTAGRAM_CLIENT_SECRET"],
  otherApplication: ["FACEBOOK_CLIENT_ID", "FACEBOOK_CLIENT_SECRET"],
  site: "https://www.instagram.com",
  hosts: ["www.instagram.com", "instagram.com"],
  postPath: /^\/(?:[\w.]+\/)?(?:p|reels?|tv|stories\/(?<account>[\w.]+))\/(?<key>[\w-]{5,64})(?:\/|$)/,
  exampleUrl: "https://www.instagram.com/p/DCx5mQ1tZ0a/",
  lastingPath: (key) => `/p/${key}`,
  profilePath: (username) => `/${encodeURIComponent(username)}`,
  image: { longestSide: limits.imageSide, maxBytes: limits.imageBytes, takesOnlyJpeg: true },
  fetchesFiles: true,
  card: null,
  textUnit: "characters",
  maxAlt: limits.alt,
  altUnit: "code points",
  recognizedBy: "text",
  hasOneHost: true,
  needsFiles: true,
  threads: false,
  link: {
    kind: "consent",
    revokes: "none",
    isRenewedIdle: true,
    application: "INSTAGRAM_CLIENT_ID",
    codeLasts: "a few minutes",
    choosesAccount: true
  }
} satisfies LiveFacts
