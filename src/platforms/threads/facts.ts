import type { LiveFacts } from "../Platform.ts"
import * as limits from "./limits.ts"

export const threads = {
  name: "Threads",
  aliases: [],
  mark: "M8 1.5c3.5 0 5.4 2 6 4.7l-1.4.4C12 4.4 10.6 3 8 3 4.7 3 3.5 5.2 3.5 8S4.7 13 8 13c2.3 0 4-1.2 4-2.9 0-.9-.5-1.6-1.3-2-.2 1.9-1.3 2.8-2.9 2.8-1.4 0-2.5-.9-2.5-2.2 0-1.5 1.4-2.3 3.8-2.2-.2-.9-.8-1.3-1.5-1.3-.6 0-1.1.2-1.5.7l-1.1-.8A3.2 3.2 0 0 1 7.7 4c1.7 0 2.8 1 3 2.8 1.8.6 2.7 1.7 2.7 3.3 0 2.6-2.3 4.4-5.4 4.4-4.2 0-6-2.8-6-6.5s1.8-6.5 6-6.5Zm1.2 6.3c-1.5-.1-2.5.2-2.5 1 0 .5.4.8 1.1.8.8 0 1.3-.5 1.4-1.8Z",
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
