import type { TextMeasure } from "../../../domain/posts/platformRules.ts"
import { byteLength, countGraphemes } from "../../../domain/posts/text/textLength.ts"
import * as limits from "../limits.ts"
import { richText } from "./richText.ts"

export const graphemeLimit = limits.text
export const byteLimit = limits.textBytes

/** The sent text's length in graphemes, or in bytes if only the bytes are too many. */
export const measure = (text: string): TextMeasure => {
  const shown = richText(text).text
  const length = countGraphemes(shown)
  const bytes = byteLength(shown)
  return length <= graphemeLimit && bytes > byteLimit
    ? { length: bytes, limit: byteLimit, valid: false, unit: "bytes" }
    : { length, limit: graphemeLimit, valid: length <= graphemeLimit }
}
