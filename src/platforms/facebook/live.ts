import { Config, Redacted } from "effect"
import type { Connection } from "../Connection.ts"
import type { LiveParts } from "../LiveParts.ts"
import { makeFacebookAdapter } from "./adapter.ts"
import { type FacebookConfig, facebookConfig } from "./config.ts"
import { limitSources } from "./limitSources.ts"
import { makeFacebookLink } from "./link.ts"
import { facebookRules } from "./rules/rules.ts"
import { facebookStandIn } from "./standIn/standIn.ts"
import { sandboxApplication } from "../meta/standIn/tokenEndpoints.ts"
import { standInVersion } from "./standIn/tokenEndpoints.ts"
import { makeFacebookTrial } from "./trial.ts"

const connectFacebook = (config: FacebookConfig): Connection => ({
  webUrl: config.webUrl,
  makeLink: () => makeFacebookLink(config),
  makeAdapter: ({ configured }) => makeFacebookAdapter(config, configured),
  makeTrial: ({ configured }) => makeFacebookTrial(config, configured)
})

export const facebook: LiveParts = {
  configured: Config.map(facebookConfig, (config) => ({ connection: connectFacebook(config) })),
  rules: facebookRules,
  standIn: facebookStandIn,
  limitSources,
  connectStandIn: (url, webUrl) =>
    connectFacebook({
      apiUrl: `${url}/facebook`,
      uploadUrl: url,
      consentUrl: webUrl,
      webUrl,
      version: standInVersion,
      clientId: sandboxApplication.clientId,
      clientSecret: Redacted.make(sandboxApplication.clientSecret)
    })
}
