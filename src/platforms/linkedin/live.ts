import { Config, Effect } from "effect"
import type { Connection } from "../Connection.ts"
import type { LiveParts } from "../LiveParts.ts"
import { makeLinkedinAdapter } from "./adapter.ts"
import { type LinkedinConfig, linkedinConfig, warnOfVersion } from "./config.ts"
import { limitSources } from "./limitSources.ts"
import { makeLinkedinLink } from "./link.ts"
import { linkedinRules } from "./rules/rules.ts"
import { linkedinStandIn } from "./standIn/standIn.ts"
import { sandboxApplications } from "./standIn/tokenEndpoint.ts"
import { standInVersion } from "./standIn/responses.ts"
import { makeLinkedinTrial } from "./trial.ts"

export const connectLinkedin = (config: LinkedinConfig): Connection => ({
  webUrl: config.webUrl,
  makeLink: () => makeLinkedinLink(config),
  makeAdapter: ({ configured }) => Effect.succeed(makeLinkedinAdapter(config, configured)),
  makeTrial: ({ configured }) => makeLinkedinTrial(config, configured),
  warnAt: (now) => warnOfVersion(config.version, now)
})

export const linkedin: LiveParts = {
  configured: Config.map(linkedinConfig, (config) => ({ connection: connectLinkedin(config) })),
  rules: linkedinRules,
  standIn: linkedinStandIn,
  limitSources,
  connectStandIn: (url, webUrl) =>
    connectLinkedin({ apiUrl: url, oauthUrl: url, webUrl, version: standInVersion, ...sandboxApplications })
}
