import { Schema } from "effect"

const maxLength = 512

/** A path of the service itself with an optional query, such as `/accounts?tab=x`. It leads to no other host (open redirect). */
export const ReturnPath = Schema.String.check(
  Schema.isPattern(/^\/(?!\/)[\w\-.~!$&'()*+,;=:@%/?]*$/, { expected: "a path of this service, such as /accounts" }),
  Schema.isMaxLength(maxLength, { expected: `a path of at most ${maxLength} characters` })
)

/** The page of accounts. */
export const defaultReturnPath = "/accounts"

/** The URL of a return path, with a parameter that says what came of it. */
export const returnUrl = (
  baseUrl: string,
  path: string,
  [name, value]: readonly [name: string, value: string]
): string => {
  const url = new URL(path, baseUrl)
  url.searchParams.set(name, value)
  return url.href
}
