import { Config, Schema } from "effect"

const expected = "an http or https URL without query"

export const HttpUrl = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[^\s?#]+$/, { expected }),
  Schema.makeFilter((url: string) => URL.canParse(url), { expected })
)

/** Names that no public host has, and addresses of private networks. */
const privateHost =
  /^(?:localhost|.+\.(?:localhost|local|internal|lan|home|test|invalid)|[^.:]+|\[.*\]|0\..*|10\..*|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\..*|127\..*|169\.254\..*|172\.(?:1[6-9]|2\d|3[01])\..*|192\.168\..*)$/

/**
 * True if a platform could fetch files from this address. Most platforms lack IPv6, so its addresses do not count. A
 * user name or a password would go to the platform.
 */
export const isPublicUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url?.protocol === "https:" && url.username === "" && url.password === "" && !privateHost.test(url.hostname)
}

export const withoutSlash = (url: string) => url.replace(/\/+$/, "")

export const replaceableUrl = (variable: string, usual: string) =>
  Config.schema(HttpUrl, variable).pipe(Config.withDefault(usual), Config.map(withoutSlash))
