import type { TextMeasure } from "../../../domain/posts/platformRules.ts"
import { byteLength } from "../../../domain/posts/text/textLength.ts"
import * as limits from "../limits.ts"
import { distinctLinks } from "./links.ts"

/** In UTF-8 bytes. */
export const measure = (text: string): TextMeasure => {
  const length = byteLength(text)
  return { length, limit: limits.text, valid: length <= limits.text }
}

export const refuseText = (text: string): string | undefined => {
  const { length } = distinctLinks(text)
  return length > limits.links ? `accepts ${limits.links} different links, but this text has ${length}` : undefined
}
