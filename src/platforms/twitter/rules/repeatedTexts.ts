import type { Issue } from "../../../domain/errors.ts"
import type { ThreadText } from "../../../domain/posts/platformRules.ts"
import { isBlank } from "../../../domain/plain/blankText.ts"

/** X drops some invisible characters and does not document which. */
const invisible = /[\p{Cf}\p{Variation_Selector}]/gu

export const visibleText = (text: string): string => text.normalize("NFC").replaceAll(invisible, "")

/** The text as X compares it: without invisible characters, with white space as one space. A blank text is not sent. */
export const comparedText = (text: string): string =>
  isBlank(text) ? "" : visibleText(text).replaceAll(/\s+/g, " ").trim()

/**
 * X refuses a text that the account has posted, so a thread's parts must differ. X does not document if other files
 * make a difference, so they don't count. Files without a text are no repetition.
 */
export const findRepeatedTexts = (texts: ReadonlyArray<ThreadText>): ReadonlyArray<Issue> => {
  const first = new Map<string, number>()
  return texts.flatMap(({ part, path, text }): ReadonlyArray<Issue> => {
    if (part === undefined) return []
    const compared = comparedText(text)
    if (compared === "") return []
    const earlier = first.get(compared)
    if (earlier !== undefined) {
      return [
        {
          path,
          message: `twitter refuses repeated texts: part ${part} repeats part ${earlier}`,
          code: "text_repeated",
          facts: { platform: "twitter", part, repeats: earlier }
        }
      ]
    }
    first.set(compared, part)
    return []
  })
}
