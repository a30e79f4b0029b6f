import type { LiveFacts } from "../Platform.ts"
import * as limits from "./limits.ts"

export const facebook = {
  name: "Facebook",
  aliases: ["fb"],
  mark: "M9 14V8.8h1.9l.3-2.1H9V5.4c0-.6.2-1 1.1-1h1.2V2.5c-.2 0-.9-.1-1.7-.1-1.7 0-2.8 1-2.8 2.9v1.4H4.9v2.1h1.9V14H9Z",
  ownApplication: ["FACEBOOK_CLIENT_ID", "FACEBOOK_CLIENT_SECRET"],
  site: "https://www.facebook.com",
  hosts: ["www.facebook.com", "facebook.com", "m.facebook.com", "web.facebook.com"],
  postPath:
    /^\/(?=(?:(?<account>[\w.-]+?)(?:_\d|\/(?:posts|videos)\/))?)(?:[\w.-]+\/(?=(?:posts|videos)\/))?(?<key>reel\/\d{5,20}|\d{5,20}_\d{5,20}|(?:posts|videos)\/(?:[^/]+\/)?(?:\d{5,20}|pfbid\w{10,100}))\/?$/,
  exampleUrl: "https://www.facebook.com/104512345678901_122100000000000001",
  lastingPath: (key, accountId) => `/${/^[pv]/.test(key) ? `${accountId}/` : ""}${key}`,
  profilePath: (username) => `/${encodeURIComponent(username)}`,
  image: { longestSide: limits.imageSide, maxBytes: limits.imageBytes, takesWebp: false },
  handles: false,
  card: null,
  textUnit: "characters",
  maxAlt: limits.alt,
  altUnit: "code points",
  recognizedBy: "text",
  hasOneHost: true,
  threads: false,
  renewsAccess: false,
  link: {
    kind: "consent",
    revokes: "none",
    application: "FACEBOOK_CLIENT_ID",
    codeLasts: "a few minutes",
    choosesAccount: true
  }
} satisfies LiveFacts
