import { Schema } from "effect"

/**
 * RFC 6749's characters except the space, because a token is sent in a header. PDSs' JWTs have a few hundred
 * characters.
 */
export const Token = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,8192}$/, { expected: "a token" }))

/** In UTF-16 code units. */
const maxUrlLength = 2048

/** A picture's address. Null if invalid: an account can be shown without a picture. */
export const webAddress = (address: unknown): string | null => {
  const url = typeof address === "string" && address.length <= maxUrlLength ? URL.parse(address) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.href.length <= maxUrlLength ? url.href : null
}
