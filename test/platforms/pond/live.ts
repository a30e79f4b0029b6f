import { Config, Effect } from "effect"
import { replaceableUrl } from "../../../src/domain/httpUrl.ts"
import type { Connection } from "../../../src/platforms/Connection.ts"
import type { LiveParts } from "../../../src/platforms/LiveParts.ts"
import { makePondAdapter } from "./adapter.ts"
import type { PondConfig } from "./api.ts"
import { pond as facts } from "./facts.ts"
import { makePondLink } from "./link.ts"
import { pondRules } from "./rules.ts"
import { pondStandIn, standInConfig } from "./standIn.ts"
import { makePondTrial } from "./trial.ts"

const pondConfig: Config.Config<PondConfig> = Config.all({
  apiUrl: replaceableUrl("POND_API_URL", "https://api.pond.example"),
  webUrl: Config.succeed(facts.site),
  clientId: Config.withDefault(Config.NonEmptyString("POND_CLIENT_ID"), "")
})

const connectPond = (config: PondConfig): Connection => ({
  webUrl: config.webUrl,
  makeLink: () => makePondLink(config, facts.link.kind),
  makeAdapter: ({ configured }) => Effect.succeed(makePondAdapter(config, configured)),
  makeTrial: ({ configured }) => makePondTrial(config, configured)
})

export const pond = {
  configured: Config.map(pondConfig, (config) => ({ connection: connectPond(config) })),
  rules: pondRules,
  standIn: pondStandIn,
  limitSources: { alt: { source: "the frogs", checked: "2026-11-29" } },
  connectStandIn: (url, webUrl) => connectPond(standInConfig(url, webUrl))
} satisfies Omit<LiveParts, "standIn"> & { readonly standIn: typeof pondStandIn }
