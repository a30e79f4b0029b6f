import { Schema } from "effect"

const maxLength = 512

/** A path of this service with an optional query. It can't name another host (open redirect). */
export const ReturnPath = Schema.String.check(
  Schema.isPattern(/^\/(?!\/)[\w\-.~!$&'()*+,;=:@%/?]*$/, { expected: "a path of this service, such as /accounts" }),
  Schema.isMaxLength(maxLength, { expected: `a path of at most ${maxLength} characters` })
)

export const defaultReturnPath = "/accounts"

/** `name` and `value` form the query parameter with the result. */
export const returnUrl = (
  baseUrl: string,
  path: string,
  [name, value]: readonly [name: string, value: string]
): string => {
  const url = new URL(path, baseUrl)
  url.searchParams.set(name, value)
  return url.href
}
