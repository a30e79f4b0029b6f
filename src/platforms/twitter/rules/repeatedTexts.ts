import type { Issue } from "../../../domain/errors.ts"
import type { ThreadText } from "../../../domain/posts/platformRules.ts"
import { comparedText } from "./comparedText.ts"

/**
 * Says which parts of a thread have the text of an earlier one: X refuses an account's post with the text of another one. It is not
 * documented whether other files make it another post, so they don't count. Files without a text are no repetition.
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
          message: `twitter refuses a text that it has: part ${part} repeats part ${earlier}`,
          code: "text_repeated",
          facts: { platform: "twitter", part, repeats: earlier }
        }
      ]
    }
    first.set(compared, part)
    return []
  })
}
