import type { Issue } from "../../domain/errors.ts"
import { type Failure, findIssue, withPeriod } from "./errors.ts"

type FieldIssue = typeof Issue.Encoded

const inThousands = (count: number): string => count.toLocaleString("en-US")

/** A setting's description is a sentence of its own. */
const describeExpected = (expected: string): string =>
  /^\p{Lu}\p{Ll}/u.test(expected)
    ? `This can’t be used. ${withPeriod(expected)}`
    : withPeriod(`This has to be ${expected}`)

/** Says what is wrong with any field, in words for people. The service's own message is for programs. */
export const describeField = ({ code, facts = {}, message }: FieldIssue): string => {
  const { expected = "", limit = 0 } = facts
  switch (code) {
    case "too_many":
      return `At most ${inThousands(limit)} are possible.`
    case "too_long":
      return `At most ${inThousands(limit)} characters are possible. Make it shorter.`
    case "too_short":
      return limit > 1 ? `At least ${inThousands(limit)} characters are needed.` : "Fill this in."
    case "text_broken":
      return "This has a character that can’t be stored. Type it again, or paste it as plain text."
    case "malformed":
      return describeExpected(expected.replaceAll("`", ""))
    default:
      return message
  }
}

/** `field` is a path such as `email` or `media.0.alt`. */
export const fieldError = (error: Failure | undefined, field: string): string | undefined => {
  const issue = findIssue(error, field)
  return issue && describeField(issue)
}
