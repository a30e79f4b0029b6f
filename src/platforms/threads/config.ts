import { Config, type Effect } from "effect"
import { replaceableUrl } from "../../domain/httpUrl.ts"
import { threads } from "./facts.ts"

/** Addresses have no trailing slashes. */
export const threadsConfig = Config.all({
  /** The id and the secret of the Threads app, which are not those of the Meta app. */
  clientId: Config.NonEmptyString("THREADS_CLIENT_ID").pipe(Config.withDefault("")),
  clientSecret: Config.Redacted("THREADS_CLIENT_SECRET").pipe(Config.withDefault(null)),
  apiUrl: replaceableUrl("THREADS_API_URL", "https://graph.threads.net"),
  /** The page on which people grant access. */
  authorizeUrl: replaceableUrl("THREADS_AUTHORIZE_URL", "https://threads.com/oauth/authorize"),
  /** The site with the posts. */
  webUrl: Config.succeed(threads.site)
})
export type ThreadsConfig = Effect.Success<typeof threadsConfig>
