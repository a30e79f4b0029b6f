import { Config, Redacted } from "effect"
import type { Connection } from "../Connection.ts"
import type { Configured, LiveParts } from "../LiveParts.ts"
import { sandboxApplication } from "../meta/standIn/tokenEndpoints.ts"
import { makeInstagramAdapter } from "./adapter.ts"
import { type InstagramConfig, instagramConfig, type Login, loginIn } from "./config.ts"
import { limitSources } from "./limitSources.ts"
import { makeInstagramLink } from "./link.ts"
import { instagramRules } from "./rules/rules.ts"
import { pagesPath } from "./standIn/apis.ts"
import { standInVersion } from "./standIn/posts.ts"
import { instagramPageStandIn, instagramStandIn } from "./standIn/standIn.ts"
import { makeInstagramTrial } from "./trial.ts"

const connectInstagram = (config: InstagramConfig): Connection => ({
  webUrl: config.webUrl,
  makeLink: () => makeInstagramLink(config),
  makeAdapter: ({ configured }) => makeInstagramAdapter(config, configured),
  makeTrial: ({ configured }) => makeInstagramTrial(config, configured)
})

/** The stand-in's accounts can be connected in both ways, and new ones are by `login`. */
const connectStandInBy =
  (login: Login): LiveParts["connectStandIn"] =>
  (url, webUrl) => {
    const known = {
      clientId: sandboxApplication.clientId,
      clientSecret: Redacted.make(sandboxApplication.clientSecret)
    }
    const none = { clientId: "", clientSecret: null }
    return connectInstagram({
      ...(login === "instagram" ? known : none),
      apiUrl: `${url}/instagram`,
      oauthUrl: `${url}/instagram`,
      version: standInVersion,
      webUrl,
      authorizeUrl: `${webUrl}/oauth/authorize`,
      meta: {
        ...(login === "facebook" ? known : none),
        apiUrl: `${url}${pagesPath}`,
        uploadUrl: url,
        version: standInVersion,
        consentUrl: webUrl
      }
    })
  }

/** The differences of the stand-in for an operator whose accounts are connected through Facebook Login. */
export const instagramByPages = {
  standIn: instagramPageStandIn,
  connectStandIn: connectStandInBy("facebook"),
  takesVideos: true
} satisfies Partial<Configured>

export const instagram: LiveParts = {
  configured: Config.map(instagramConfig, (config) => ({
    connection: connectInstagram(config),
    ...(loginIn(config) === "facebook" ? instagramByPages : {})
  })),
  rules: instagramRules,
  standIn: instagramStandIn,
  limitSources,
  connectStandIn: connectStandInBy("instagram")
}
