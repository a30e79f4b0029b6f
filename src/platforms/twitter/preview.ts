import type { Preview } from "../Platform.ts"
import * as limits from "./limits.ts"

export const twitter = {
  mention: /(?<![\p{L}\p{N}_@])[@＠][A-Za-z0-9_]{1,15}(?![A-Za-z0-9_@])/u,
  shorten: (url) => {
    const plain = url.replace(/^https?:\/\/(?:www\.)?/i, "")
    const { link: length } = limits
    return plain.length <= length ? plain : `${plain.slice(0, length - 1)}…`
  }
} satisfies Preview
