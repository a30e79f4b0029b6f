import type { Preview } from "../Platform.ts"

export const instagram = {
  showsText: ({ post_type }) => post_type !== "story",
  mention: /(?<![\p{L}\p{N}_@.])@[A-Za-z0-9_](?:[A-Za-z0-9_.]{0,28}[A-Za-z0-9_])?(?![A-Za-z0-9_@])/u,
  shorten: (url) => url,
  linked: /^(?!)/
} satisfies Preview
