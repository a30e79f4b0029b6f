import { Schema } from "effect"

/** A text that UTF-8 can carry and PostgreSQL can store. */
export const Text = Schema.String.check(
  Schema.makeFilter((text: string) => text.isWellFormed() && !text.includes("\0"), {
    expected: "a text without NUL characters and unpaired surrogates"
  })
)

/** Three times what any live platform takes, for drafts. Texts are measured, and a page of a thousand posts has to fit in memory. */
const longestText = 10_000

/** A text that may be published. */
export const PublishableText = Text.check(
  Schema.isMaxLength(longestText, { expected: `a text of at most ${longestText} UTF-16 code units` })
)
