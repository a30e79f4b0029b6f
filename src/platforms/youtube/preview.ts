import type { Preview } from "../Platform.ts"

/** A description folds at its first lines. */
export const youtube = {
  title: ({ title }) => (typeof title === "string" ? title : ""),
  mention: /(?<![\p{L}\p{N}_@.])@[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]{1,28}[\p{L}\p{N}_])(?![\p{L}\p{N}_@])/u,
  shorten: (url) => url,
  fold: { characters: 150, lines: 3 }
} satisfies Preview
