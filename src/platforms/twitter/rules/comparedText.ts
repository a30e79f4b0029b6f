import { isBlank } from "../../../domain/plain/blankText.ts"

/** X drops some of the characters that nobody sees, and which ones is not documented. */
const invisible = /[\p{Cf}\p{Variation_Selector}]/gu

/** A text in composed characters, without those that nobody sees. */
export const visibleText = (text: string): string => text.normalize("NFC").replaceAll(invisible, "")

/** A text as X compares it with others: what nobody sees does not count, and white space is one space. A blank text is not sent. */
export const comparedText = (text: string): string =>
  isBlank(text) ? "" : visibleText(text).replaceAll(/\s+/g, " ").trim()
