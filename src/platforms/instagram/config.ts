import { Config, type Effect } from "effect"
import { replaceableUrl } from "../../domain/httpUrl.ts"
import { metaApplication } from "../meta/config.ts"
import { GraphVersion } from "../meta/syntax.ts"
import { instagram } from "./facts.ts"

/** Addresses have no trailing slashes. */
export const instagramConfig = Config.all({
  /** The id and the secret of the Instagram app, which are not those of the Meta app. */
  clientId: Config.NonEmptyString("INSTAGRAM_CLIENT_ID").pipe(Config.withDefault("")),
  clientSecret: Config.Redacted("INSTAGRAM_CLIENT_SECRET").pipe(Config.withDefault(null)),
  version: Config.schema(GraphVersion, "INSTAGRAM_VERSION").pipe(Config.withDefault("v26.0")),
  apiUrl: replaceableUrl("INSTAGRAM_API_URL", "https://graph.instagram.com"),
  /** The address that takes the codes of consent. */
  oauthUrl: replaceableUrl("INSTAGRAM_OAUTH_URL", "https://api.instagram.com"),
  /** The page on which people grant access. */
  authorizeUrl: replaceableUrl("INSTAGRAM_AUTHORIZE_URL", "https://www.instagram.com/oauth/authorize"),
  /** The Meta app, for accounts that are connected through Facebook Login. */
  meta: metaApplication,
  /** The site with the posts. */
  webUrl: Config.succeed(instagram.site)
})
export type InstagramConfig = Effect.Success<typeof instagramConfig>

/** The two ways to connect an account. It stays connected in its own way, whatever the next one uses. */
export type Login = "instagram" | "facebook"

/** The way for new connections. Only a service without an Instagram app uses its Meta app. */
export const loginIn = ({ clientId, meta }: Pick<InstagramConfig, "clientId" | "meta">): Login =>
  clientId === "" && meta.clientId !== "" ? "facebook" : "instagram"
