import { Schema } from "effect"
import { maxNameLength } from "./plain/limits.ts"

export const Line = Schema.String.check(
  Schema.makeFilter((text: string) => text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), {
    expected: "one line without control characters and unpaired surrogates"
  })
)

export const Name = Line.check(
  Schema.isPattern(/\S/u, { expected: "a name that is not blank" }),
  Schema.isMaxLength(maxNameLength)
)
