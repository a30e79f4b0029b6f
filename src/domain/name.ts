import { Schema } from "effect"
import { maxNameLength } from "./plain/limits.ts"

/** May have invisible characters. */
export const AnyLine = Schema.String.check(
  Schema.makeFilter((text: string) => text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), {
    expected: "one line without control characters"
  })
)

/**
 * Invisible and direction-changing characters can make a name look like another. U+200C, U+200D and U+FE0F stay,
 * because some scripts and emoji join characters with them.
 */
const invisible = /(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

export const Line = AnyLine.check(
  Schema.makeFilter((text: string) => !invisible.test(text), {
    expected: "one line without invisible and direction-changing characters"
  })
)

export const Name = Line.check(
  Schema.isPattern(/\S/u, { expected: "a name that is not blank" }),
  Schema.isMaxLength(maxNameLength)
)
