import { Config, Effect } from "effect"
import type { Connection } from "../Connection.ts"
import type { LiveParts } from "../LiveParts.ts"
import { makeBlueskyAdapter } from "./adapter.ts"
import { type BlueskyConfig, blueskyConfig } from "./config.ts"
import { limitSources } from "./limitSources.ts"
import { makeBlueskyLink } from "./link.ts"
import { makeFindQuoted } from "./findQuoted.ts"
import { blueskyRules } from "./rules/rules.ts"
import { blueskyStandIn } from "./standIn/standIn.ts"
import { makeBlueskyTrial } from "./trial.ts"

const quotedThrough = ({ appViewUrl, shortLinkUrl }: BlueskyConfig): Pick<Connection, "makeFindQuoted"> =>
  appViewUrl === undefined ? {} : { makeFindQuoted: (call) => makeFindQuoted(call, appViewUrl, shortLinkUrl) }

export const connectBluesky = (config: BlueskyConfig): Connection => ({
  webUrl: config.webUrl,
  makeLink: (where) => makeBlueskyLink(config, where),
  makeAdapter: (calls) => Effect.succeed(makeBlueskyAdapter(config, calls)),
  makeTrial: (calls) => makeBlueskyTrial(config, calls),
  ...quotedThrough(config)
})

export const bluesky: LiveParts = {
  configured: Config.map(blueskyConfig, (config) => ({ connection: connectBluesky(config) })),
  rules: blueskyRules,
  standIn: blueskyStandIn,
  limitSources,
  connectStandIn: (url, webUrl) => connectBluesky({ defaultServiceUrl: url, webUrl, videoUrl: url, appViewUrl: url })
}
