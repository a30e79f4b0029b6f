import { Schema } from "effect"

/** A text that UTF-8 can carry and PostgreSQL can store. */
export const Text = Schema.String.check(
  Schema.makeFilter((text: string) => text.isWellFormed() && !text.includes("\0"), {
    expected: "a text without NUL characters and unpaired surrogates"
  })
)

/** More than the longest text of any platform, Facebook's 63,206. Texts are measured, and that takes time with their length. */
const longestText = 65_536

/** A text that may be published. */
export const PublishableText = Text.check(
  Schema.isMaxLength(longestText, { expected: `a text of at most ${longestText} UTF-16 code units` })
)
