import { Config, Effect, Redacted } from "effect"
import type { Connection } from "../Connection.ts"
import type { LiveParts } from "../LiveParts.ts"
import { makeThreadsAdapter } from "./adapter.ts"
import { type ThreadsConfig, threadsConfig } from "./config.ts"
import { limitSources } from "./limitSources.ts"
import { makeThreadsLink } from "./link.ts"
import { threadsRules } from "./rules/rules.ts"
import { threadsStandIn } from "./standIn/standIn.ts"
import { sandboxApplication } from "../meta/standIn/tokenEndpoints.ts"
import { makeThreadsTrial } from "./trial.ts"

const connectThreads = (config: ThreadsConfig): Connection => ({
  webUrl: config.webUrl,
  makeLink: () => makeThreadsLink(config),
  makeAdapter: ({ configured }) => Effect.succeed(makeThreadsAdapter(config, configured)),
  makeTrial: ({ configured }) => makeThreadsTrial(config, configured)
})

export const threads: LiveParts = {
  configured: Config.map(threadsConfig, (config) => ({ connection: connectThreads(config) })),
  rules: threadsRules,
  standIn: threadsStandIn,
  limitSources,
  connectStandIn: (url, webUrl) =>
    connectThreads({
      apiUrl: `${url}/threads`,
      webUrl,
      authorizeUrl: `${webUrl}/oauth/authorize`,
      clientId: sandboxApplication.clientId,
      clientSecret: Redacted.make(sandboxApplication.clientSecret)
    })
}
