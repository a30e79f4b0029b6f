import { Schema } from "effect"
import { maxNameLength } from "./plain/limits.ts"

/** One line of text, as lists and log lines show it. */
export const Line = Schema.String.check(
  Schema.makeFilter((text: string) => text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), {
    expected: "one line without control characters and unpaired surrogates"
  })
)

/** What people recognize a workspace or a key by. */
export const Name = Line.check(
  Schema.isPattern(/\S/u, { expected: "a name that is not blank" }),
  Schema.isMaxLength(maxNameLength)
)
