import { Config, Effect, Redacted } from "effect"
import type { Connection } from "../Connection.ts"
import type { LiveParts } from "../LiveParts.ts"
import { sandboxApplication } from "../meta/standIn/tokenEndpoints.ts"
import { makeInstagramAdapter } from "./adapter.ts"
import { type InstagramConfig, instagramConfig } from "./config.ts"
import { limitSources } from "./limitSources.ts"
import { makeInstagramLink } from "./link.ts"
import { instagramRules } from "./rules/rules.ts"
import { instagramStandIn } from "./standIn/standIn.ts"
import { makeInstagramTrial } from "./trial.ts"

const connectInstagram = (config: InstagramConfig): Connection => ({
  webUrl: config.webUrl,
  makeLink: () => makeInstagramLink(config),
  makeAdapter: ({ configured }) => Effect.succeed(makeInstagramAdapter(config, configured)),
  makeTrial: ({ configured }) => makeInstagramTrial(config, configured)
})

export const instagram: LiveParts = {
  configured: Config.map(instagramConfig, (config) => ({ connection: connectInstagram(config) })),
  rules: instagramRules,
  standIn: instagramStandIn,
  limitSources,
  connectStandIn: (url, webUrl) =>
    connectInstagram({
      apiUrl: `${url}/instagram`,
      oauthUrl: `${url}/instagram`,
      version: "v26.0",
      webUrl,
      authorizeUrl: `${webUrl}/oauth/authorize`,
      clientId: sandboxApplication.clientId,
      clientSecret: Redacted.make(sandboxApplication.clientSecret)
    })
}
