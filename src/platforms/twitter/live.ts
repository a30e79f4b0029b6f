import { Config, Effect, Redacted } from "effect"
import type { Connection } from "../Connection.ts"
import type { LiveParts } from "../LiveParts.ts"
import { makeTwitterAdapter } from "./adapter.ts"
import { twitterAccess, type TwitterConfig, twitterConfig } from "./config.ts"
import type { TwitterAccess } from "./facts.ts"
import { limitSources } from "./limitSources.ts"
import { makeTwitterLink } from "./link.ts"
import { makePostLimits } from "./postLimits.ts"
import { twitterRules } from "./rules/rules.ts"
import { makeTwitterStandIn } from "./standIn/standIn.ts"
import { sandboxApplication } from "./standIn/tokenEndpoint.ts"
import { lacksMedia } from "./tokens.ts"
import { makeTwitterTrial } from "./trial.ts"

export const connectTwitter = (config: TwitterConfig): Connection => ({
  webUrl: config.webUrl,
  makeLink: () => makeTwitterLink(config),
  makeAdapter: ({ configured }) =>
    Effect.map(makePostLimits, (postLimits) => makeTwitterAdapter(config, configured, postLimits)),
  makeTrial: ({ configured }) => makeTwitterTrial(config, configured)
})

const partsFor = (access: TwitterAccess) => ({ rules: twitterRules(access), standIn: makeTwitterStandIn(access) })

export const twitter: LiveParts = {
  configured: Config.map(Config.all({ config: twitterConfig, access: twitterAccess }), ({ access, config }) => ({
    connection: connectTwitter(config),
    ...partsFor(access)
  })),
  ...partsFor("self-serve"),
  limitSources,
  connectStandIn: (apiUrl, webUrl) => {
    const { clientId, clientSecret } = sandboxApplication
    return connectTwitter({ apiUrl, webUrl, clientId, clientSecret: Redacted.make(clientSecret) })
  },
  lacksMedia
}
