import type { LiveFacts } from "../Platform.ts"
import * as limits from "./limits.ts"

export const linkedin = {
  name: "LinkedIn",
  aliases: ["li"],
  mark: "M2.5 6h2.6v7.5H2.5V6Zm1.3-3.7a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3ZM6.7 6h2.5v1c.4-.7 1.2-1.2 2.3-1.2 2.3 0 2.7 1.5 2.7 3.5v4.2h-2.6V9.8c0-.9 0-2-1.2-2s-1.4 1-1.4 2v3.7H6.7V6Z",
  ownApplication: ["LINKEDIN_CLIENT_ID", "LINKEDIN_CLIENT_SECRET"],
  site: "https://www.linkedin.com",
  hosts: ["www.linkedin.com", "linkedin.com"],
  postPath:
    /^\/(?:feed\/update\/|posts\/[^/]*-activity-)(?<key>urn(?::|%3A)li(?::|%3A)(?:share|ugcPost|activity)(?::|%3A)\d{1,20}|\d{1,20})(?:-[\w-]*)?\/?$/i,
  exampleUrl: "https://www.linkedin.com/feed/update/urn:li:share:7400000000000000001/",
  lastingPath: (key) => `/feed/update/${/^\d+$/.test(key) ? `urn:li:activity:${key}` : key}/`,
  // An account's own address is not known: LinkedIn names none for members.
  profilePath: (username) => `/search/results/all/?keywords=${encodeURIComponent(username)}`,
  image: { longestSide: limits.imageSide, maxBytes: limits.imageBytes, takesWebp: false },
  card: {
    maxPictureBytes: limits.cardPictureBytes,
    // A WebP is left out of the card: all platforms share one picture, which others take.
    pictureTypes: ["image/jpeg", "image/png", "image/webp"],
    quotedPath: /^(?!)/
  },
  textUnit: "characters",
  maxAlt: limits.alt,
  altUnit: "code points",
  recognizedBy: "text",
  hasOneHost: true,
  handles: false,
  threads: false,
  renewsAccess: false,
  link: {
    kind: "consent",
    revokes: "none",
    application: "LINKEDIN_CLIENT_ID",
    codeLasts: "a few minutes",
    choosesAccount: true
  }
} satisfies LiveFacts
