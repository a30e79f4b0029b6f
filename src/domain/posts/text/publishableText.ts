import { Schema } from "effect"
import { maxTextLength } from "../../plain/limits.ts"
import { withMeaning } from "../../issueCodes.ts"

/** A text that UTF-8 can carry and PostgreSQL can store. */
export const Text = Schema.String.check(
  Schema.makeFilter((text: string) => text.isWellFormed() && !text.includes("\0"), {
    expected: "a text without NUL characters and unpaired surrogates",
    ...withMeaning({ code: "text_broken" })
  })
)

export const PublishableText = Text.check(
  Schema.isMaxLength(maxTextLength, { expected: `a text of at most ${maxTextLength} UTF-16 code units` })
)

export const blankText = "Expected a text that is not blank"
