import type { Preview } from "../Platform.ts"

export const tiktok = {
  textSetting: "tiktok_title",
  mention: /(?<![\p{L}\p{N}_@.])@[A-Za-z0-9_](?:[A-Za-z0-9_.]{0,22}[A-Za-z0-9_])?(?![A-Za-z0-9_@])/u,
  shorten: (url) => url,
  linked: /^(?!)/
} satisfies Preview
