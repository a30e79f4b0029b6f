import { isBlank } from "../../../domain/plain/blankText.ts"

/** X drops some invisible characters and does not document which. */
const invisible = /[\p{Cf}\p{Variation_Selector}]/gu

export const visibleText = (text: string): string => text.normalize("NFC").replaceAll(invisible, "")

/** As X compares texts: without invisible characters, with white space as one space. A blank text is not sent. */
export const comparedText = (text: string): string =>
  isBlank(text) ? "" : visibleText(text).replaceAll(/\s+/g, " ").trim()
