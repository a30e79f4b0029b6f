import type { Preview } from "../Platform.ts"
import * as limits from "./limits.ts"

/** The name is shown in the place of the whole mention. */
const mention = /@\[[^[\]\r\n]{1,200}\]\(urn:li:(?:organization|person):[\w-]{1,64}\)/u

export const linkedin = {
  mention,
  shownMention: (written) => written.slice(2, written.lastIndexOf("](")),
  shorten: (url) => url,
  fold: { characters: limits.foldedText, lines: limits.foldedLines },
  grid: "first-large"
} satisfies Preview
