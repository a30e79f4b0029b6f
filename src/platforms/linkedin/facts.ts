import type { LiveFacts } from "../Platform.ts"

/** Times in milliseconds, sizes in bytes, sides in pixels. */
const limits = {
  /** In UTF-16 code units, without the escapes that are sent. */
  text: 3_000,
  /** In code points. */
  alt: 4_086,
  imageBytes: 5_000_000,
  imageSide: 4_096,
  gifFrames: 250,
  cardPictureBytes: 1_000_000,
  videoBytes: 500_000_000,
  smallestVideoBytes: 75_000,
  shortestVideo: 3_000,
  longestVideo: 30 * 60_000,
  /** In days. */
  accessDays: 60,
  /** A longer text is shown in part, as is one with more lines. */
  foldedText: 200,
  foldedLines: 3
} as const

export const linkedin = {
  name: "LinkedIn",
  aliases: ["li"],
  mark: "M2.500 6h2.600v7.500H2.500V6Zm1.300-3.700a1.500 1.500 0 1 1 0 3 1.500 1.500 0 0 1 0-3ZM6.700 6h2.500v1c.4-.7 1.200-1.200 2.300-1.200 2.300 0 2.700 1.500 2.700 3.500v4.200h-2.600V9.800c0-.9 0-2-1.200-2s-1.400 1-1.400 2v3.700H6.700V6Z",
  limits,
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
