import { Schema } from "effect"
import { hasInvisible, isVisible } from "./plain/invisible.ts"
import { maxNameLength } from "./plain/limits.ts"

/** May have invisible characters. */
export const AnyLine = Schema.String.check(
  Schema.makeFilter((text: string) => text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), {
    expected: "one line without control characters"
  })
)

export const Line = AnyLine.check(
  Schema.makeFilter((text: string) => !hasInvisible(text), {
    expected: "one line without invisible and direction-changing characters"
  }).abort()
)

export const Name = Line.check(
  Schema.isPattern(/\S/u, { expected: "a name that is not blank" }).abort(),
  Schema.makeFilter(isVisible, { expected: "a name with a visible character" }),
  Schema.isMaxLength(maxNameLength)
)
