import { Config, Redacted } from "effect"
import type { Connection } from "../Connection.ts"
import type { LiveParts } from "../LiveParts.ts"
import { makeYoutubeAdapter } from "./adapter.ts"
import { type YoutubeConfig, youtubeConfig } from "./config.ts"
import { limitSources } from "./limitSources.ts"
import { makeYoutubeLink } from "./link.ts"
import { youtubeRules } from "./rules/rules.ts"
import { youtubeStandIn } from "./standIn/standIn.ts"
import { sandboxApplication } from "./standIn/tokenEndpoints.ts"
import { makeYoutubeTrial } from "./trial.ts"

const connectYoutube = (config: YoutubeConfig): Connection => ({
  webUrl: config.webUrl,
  makeLink: () => makeYoutubeLink(config),
  makeAdapter: ({ configured }) => makeYoutubeAdapter(config, configured),
  makeTrial: ({ configured }) => makeYoutubeTrial(config, configured)
})

export const youtube: LiveParts = {
  configured: Config.map(youtubeConfig, (config) => ({ connection: connectYoutube(config) })),
  rules: youtubeRules,
  standIn: youtubeStandIn,
  limitSources,
  connectStandIn: (url, webUrl) =>
    connectYoutube({
      apiUrl: `${url}/google`,
      oauthUrl: `${url}/google/oauth2`,
      authorizeUrl: `${webUrl}/oauth2/v2/auth`,
      webUrl,
      clientId: sandboxApplication.clientId,
      clientSecret: Redacted.make(sandboxApplication.clientSecret)
    })
}
