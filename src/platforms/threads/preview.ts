import type { Preview } from "../Platform.ts"

export const threads = {
  mention: /(?<![\p{L}\p{N}_@.])@[A-Za-z0-9_](?:[A-Za-z0-9_.]{0,28}[A-Za-z0-9_])?(?![A-Za-z0-9_@])/u,
  shorten: (url) => url.replace(/^https?:\/\/(?:www\.)?/i, ""),
  hasTopic: true,
  grid: "row"
} satisfies Preview
