import twitterText from "twitter-text"
import type { TextMeasure } from "../../../domain/posts/platformRules.ts"
import { joinReasons } from "../../../domain/posts/text/textRules.ts"
import { weightedLength } from "./weightedLength.ts"
import type { TwitterAccess } from "../facts.ts"
import * as limits from "../limits.ts"

/** In X's units: most Latin characters count 1, others and emoji 2, every link 23. */
const longest = limits.text
/** The limit for non-enterprise applications: docs.x.com, "Manage Posts". */
const maxCashtags = 1

/** A byte order mark or a non-character. */
const hasForbiddenCharacter = (text: string): boolean => twitterText.hasInvalidCharacters(text)

export const measure = (text: string): TextMeasure => {
  const length = weightedLength(text)
  return { length, limit: longest, valid: length <= longest && !hasForbiddenCharacter(text) }
}

export const refuseText =
  (access: TwitterAccess) =>
  (text: string): string | undefined => {
    const cashtags = access === "enterprise" ? [] : twitterText.extractCashtags(text)
    return joinReasons(
      hasForbiddenCharacter(text)
        ? "does not accept byte order marks or non-characters (U+FEFF, U+FFFE, U+FFFF)"
        : undefined,
      cashtags.length > maxCashtags
        ? `accepts one cashtag, but this text has ${cashtags.length}: ${cashtags
            .slice(0, 5)
            .map((name) => `$${name}`)
            .join(", ")}`
        : undefined
    )
  }
