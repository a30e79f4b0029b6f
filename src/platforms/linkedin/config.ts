import { Config, DateTime, Duration, type Effect, Option, Schema } from "effect"
import { replaceableUrl } from "../../domain/httpUrl.ts"
import { linkedin } from "./facts.ts"

/** LinkedIn has one product, and so one application, for profiles, and another for pages. */
export type ApplicationName = "profile" | "pages"

export interface Application {
  readonly clientId: string
  readonly clientSecret: string
}

const Version = Schema.String.check(
  Schema.isPattern(/^20\d\d(?:0[1-9]|1[0-2])$/, { expected: "a version of LinkedIn's API, such as 202610" })
)

const pagesId = Config.NonEmptyString("LINKEDIN_PAGES_CLIENT_ID")
const pagesSecret = Config.NonEmptyString("LINKEDIN_PAGES_CLIENT_SECRET")

/** Addresses have no trailing slashes. */
export const linkedinConfig = Config.all({
  profile: Config.all({
    clientId: Config.NonEmptyString("LINKEDIN_CLIENT_ID").pipe(Config.withDefault("")),
    clientSecret: Config.NonEmptyString("LINKEDIN_CLIENT_SECRET").pipe(Config.withDefault(""))
  }),
  /** Null without the application. One of its variables alone stops the start, because nobody could connect a page. */
  pages: Config.all([Config.option(pagesId), Config.option(pagesSecret)]).pipe(
    Config.flatMap((given): Config.Config<Application | null> =>
      given.every(Option.isNone) ? Config.succeed(null) : Config.all({ clientId: pagesId, clientSecret: pagesSecret })
    )
  ),
  version: Config.schema(Version, "LINKEDIN_VERSION").pipe(Config.withDefault("202610")),
  apiUrl: replaceableUrl("LINKEDIN_API_URL", "https://api.linkedin.com"),
  oauthUrl: replaceableUrl("LINKEDIN_OAUTH_URL", linkedin.site),
  /** The site with the posts and with the page that grants access. */
  webUrl: Config.succeed(linkedin.site)
})
export type LinkedinConfig = Effect.Success<typeof linkedinConfig>

/** LinkedIn promises a year. The ends that it has named are on these days of the months. */
const endOf = (version: string): Option.Option<DateTime.Utc> =>
  DateTime.make(`${Number(version.slice(0, 4)) + 1}-${version.slice(4)}-15T00:00:00Z`)

const warnedBefore = Duration.days(60)

/** Nothing else warns: from a version's end on, LinkedIn refuses every request. */
export const warnOfVersion = (version: string, now: DateTime.Utc): string | undefined => {
  const end = Option.getOrUndefined(endOf(version))
  if (end === undefined || DateTime.isLessThan(now, DateTime.subtractDuration(end, warnedBefore))) return undefined
  const day = DateTime.formatIsoDateUtc(end)
  const consequence = "LinkedIn then refuses all posts. Set it to a later version"
  return DateTime.isLessThan(now, end)
    ? `LINKEDIN_VERSION: the version ${version} of LinkedIn's API ends about ${day}. ${consequence}`
    : `LINKEDIN_VERSION: the version ${version} of LinkedIn's API has ended about ${day}. Set it to a later version`
}
