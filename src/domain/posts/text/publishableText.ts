import { Schema } from "effect"

/** A text that UTF-8 can carry and PostgreSQL can store. */
export const Text = Schema.String.check(
  Schema.makeFilter((text: string) => text.isWellFormed() && !text.includes("\0"), {
    expected: "a text without NUL characters and unpaired surrogates"
  })
)

/** Three times the highest limit of a live platform. Bounds the time to measure a text and the memory of a page. */
export const maxTextLength = 10_000

export const PublishableText = Text.check(
  Schema.isMaxLength(maxTextLength, { expected: `a text of at most ${maxTextLength} UTF-16 code units` })
)

export const blankText = "Expected a text that is not blank"
