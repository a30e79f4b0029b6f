import type { Issue } from "../errors.ts"
import { platformName } from "../plain/platforms.ts"
import type { Rules } from "./platformRules.ts"
import { platformTexts, textPath, type Texts } from "./postTexts.ts"

/** Links that a platform does not make, although the text is accepted. */
export const findTextDoubts = (rules: Rules, post: Texts): ReadonlyArray<Issue> =>
  platformTexts(post).flatMap((each): ReadonlyArray<Issue> => {
    const { platform, text } = each
    const own = rules[platform]
    // A text that is too long is an issue already, and searching it takes longer.
    if (own?.explainUnlinked === undefined || !own.measure(text).valid) return []
    return own.explainUnlinked(text).map((reason) => ({
      path: textPath(each),
      message: `${platformName(platform)} ${reason}`,
      code: "text_unlinked",
      facts: { platform, reason }
    }))
  })
