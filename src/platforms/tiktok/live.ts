import { Config, Effect, Redacted } from "effect"
import type { Connection } from "../Connection.ts"
import type { LiveParts } from "../LiveParts.ts"
import { makeTiktokAdapter } from "./adapter.ts"
import { type TiktokConfig, tiktokConfig } from "./config.ts"
import { limitSources } from "./limitSources.ts"
import { makeTiktokLink } from "./link.ts"
import { tiktokRules } from "./rules/rules.ts"
import { tiktokStandIn } from "./standIn/standIn.ts"
import { sandboxApplication } from "./standIn/tokenEndpoints.ts"
import { makeTiktokTrial } from "./trial.ts"

const connectTiktok = (config: TiktokConfig): Connection => ({
  webUrl: config.webUrl,
  makeLink: () => makeTiktokLink(config),
  makeAdapter: ({ configured }) => Effect.succeed(makeTiktokAdapter(config, configured)),
  makeTrial: ({ configured }) => makeTiktokTrial(config, configured)
})

export const tiktok: LiveParts = {
  configured: Config.map(tiktokConfig, (config) => ({ connection: connectTiktok(config) })),
  rules: tiktokRules,
  standIn: tiktokStandIn,
  limitSources,
  connectStandIn: (url, webUrl) =>
    connectTiktok({
      apiUrl: `${url}/tiktok`,
      // The service answers no path that ends with a slash.
      authorizeUrl: `${webUrl}/v2/auth/authorize`,
      webUrl,
      clientKey: sandboxApplication.clientKey,
      clientSecret: Redacted.make(sandboxApplication.clientSecret)
    })
}
