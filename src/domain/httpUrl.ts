import { Config, Schema } from "effect"

const expected = "an http or https URL without query"

export const HttpUrl = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[^\s?#]+$/, { expected }),
  Schema.makeFilter((url: string) => URL.canParse(url), { expected })
)

export const withoutSlash = (url: string) => url.replace(/\/+$/, "")

export const replaceableUrl = (variable: string, usual: string) =>
  Config.schema(HttpUrl, variable).pipe(Config.withDefault(usual), Config.map(withoutSlash))
