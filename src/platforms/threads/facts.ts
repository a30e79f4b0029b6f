import type { LiveFacts } from "../Platform.ts"

/** Sizes in bytes, sides in pixels, times in milliseconds. */
const limits = {
  /** In UTF-8 bytes. Meta's page says characters, but others' posts of 498 characters and 504 bytes were refused. */
  text: 500,
  /** Different links in a text. */
  links: 5,
  /** In code points, as is `topic`. */
  alt: 1_000,
  topic: 50,
  imageBytes: 8_000_000,
  /** Threads scales wider images down. */
  imageSide: 1_440,
  imageRatio: 10,
  videoBytes: 1_000_000_000,
  longestVideo: 300_000,
  videoWidth: 1_920,
  slowestFrames: 23,
  videoFrameRate: 60,
  /** In any 24 hours. */
  postsPerDay: 250,
  repliesPerDay: 1_000,
  /** Hours after which Threads forgets a container that was not published. */
  containerHours: 24,
  accessDays: 60,
  /** Hours after which Threads renews an access token. */
  renewalHours: 24
} as const

export const threads = {
  name: "Threads",
  aliases: [],
  mark: "M8 1.500c3.500 0 5.400 2 6 4.700l-1.400.4C12 4.400 10.600 3 8 3 4.700 3 3.500 5.200 3.500 8S4.700 13 8 13c2.300 0 4-1.200 4-2.900 0-.9-.5-1.600-1.300-2-.2 1.900-1.300 2.800-2.900 2.800-1.400 0-2.500-.9-2.500-2.200 0-1.500 1.400-2.300 3.800-2.200-.2-.9-.8-1.300-1.500-1.300-.6 0-1.100.2-1.500.7l-1.100-.8A3.200 3.200 0 0 1 7.700 4c1.700 0 2.800 1 3 2.800 1.800.6 2.700 1.700 2.700 3.300 0 2.600-2.300 4.400-5.400 4.400-4.200 0-6-2.800-6-6.500s1.800-6.500 6-6.500Zm1.200 6.300c-1.500-.1-2.500.2-2.500 1 0 .5.400.8 1.100.8.8 0 1.300-.5 1.400-1.800Z",
  limits,
  ownApplication: ["THREADS_CLIENT_ID", "THREADS_CLIENT_SECRET"],
  site: "https://www.threads.com",
  hosts: ["www.threads.com", "threads.com", "www.threads.net", "threads.net"],
  postPath: /^\/(?:@(?<account>[^/]+)\/post|t)\/(?<key>[\w-]{5,64})(?:\/|$)/,
  exampleUrl: "https://www.threads.com/@acme/post/DCx5mQ1tZ0a",
  lastingPath: (key) => `/t/${key}`,
  profilePath: (username) => `/@${encodeURIComponent(username)}`,
  image: { longestSide: limits.imageSide, maxBytes: limits.imageBytes, takesWebp: false },
  fetchesFiles: true,
  card: null,
  textUnit: "bytes",
  maxAlt: limits.alt,
  altUnit: "code points",
  recognizedBy: "text",
  hasOneHost: true,
  link: {
    kind: "consent",
    revokes: "none",
    isRenewedIdle: true,
    application: "THREADS_CLIENT_ID",
    codeLasts: "a few minutes"
  }
} satisfies LiveFacts
