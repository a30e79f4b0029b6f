import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { DateTime, Effect, Layer, Option, Record } from "effect"
import { HttpClient } from "effect/http"
import path from "node:path"
import { type Configuration, ConfigurationError } from "../config.ts"
import { QuotedRecords } from "../cards/QuotedRecords.ts"
import { factsOf, inSentence, platformName } from "../domain/plain/platforms.ts"
import { PostSites } from "../domain/publishing/postUrl.ts"
import { GuardedHttpClient } from "../outbound/GuardedHttpClient.ts"
import { UserAgent, userAgent } from "../outbound/userAgent.ts"
import { AccountLinking } from "../platforms/AccountLinking.ts"
import type { OutboundPolicy } from "../outbound/policy.ts"
import { makeCall } from "../platforms/call.ts"
import type { Connections } from "../platforms/Connection.ts"
import { liveFacts } from "../platforms/facts.ts"
import { platformClientLayer } from "../platforms/layer.ts"
import { consentPlatforms } from "../platforms/links.ts"
import { PlatformTrial } from "../platforms/PlatformTrial.ts"
import { platformsAt } from "../platforms/standIns.ts"
import { leasedDispatcherLayer, leasedGuardedClientLayer } from "../publishing/leasedDispatcher.ts"
import { ProcessLease } from "../publishing/ProcessLease.ts"
import { readAddress } from "../sandbox/address.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { makeDataDirectory } from "./dataDirectory.ts"
import { findBaseUrl } from "./serviceAddress.ts"

/** PDSs may have any port. */
const pdsPolicy = ({ reachesLoopback }: Configuration): OutboundPolicy => ({
  http: false,
  anyPort: true,
  loopback: reachesLoopback
})

const guardedClientLayer = (config: Configuration) => GuardedHttpClient.layer(pdsPolicy(config))

const linkingLayer = (platforms: Connections, config: Configuration, baseUrl: string | null = config.baseUrl) =>
  AccountLinking.layer(platforms, baseUrl, config.platforms, config.enabled).pipe(
    Layer.provide(guardedClientLayer(config))
  )

/** At most one platform makes cards. */
const quotedRecordsLayer = (platforms: Connections) =>
  Layer.effect(
    QuotedRecords,
    Effect.map(HttpClient.HttpClient, (client) => {
      const [find] = Object.entries(platforms).flatMap(
        ([platform, { makeFindQuoted }]) => makeFindQuoted?.(makeCall(client, platform)) ?? []
      )
      return find ?? (() => Effect.succeedNone)
    })
  )

const clientLayer = (platforms: Connections, config: Configuration) =>
  Layer.mergeAll(
    platformClientLayer(platforms).pipe(
      Layer.provide([leasedDispatcherLayer(), leasedGuardedClientLayer(pdsPolicy(config))]),
      Layer.provide(ProcessLease.layer)
    ),
    linkingLayer(platforms, config),
    quotedRecordsLayer(platforms),
    Layer.succeed(UserAgent, userAgent(config.baseUrl)),
    Layer.succeed(
      PostSites,
      Record.map(platforms, ({ webUrl }) => webUrl)
    )
  )

const warnWithoutApplications = (platforms: Connections, enabled: Configuration["enabled"]) => {
  const unset = consentPlatforms.filter((platform) => {
    const link = platforms[platform].makeLink("live")
    return enabled.includes(platform) && link.kind === "consent" && !link.hasApplication
  })
  const warnings = unset.map((platform) => {
    const name = platformName(platform)
    const { application } = liveFacts[platform].link
    return Effect.logWarning(
      `${application} is not set: accounts on ${name} can't be connected, and posts to ${name} will fail`
    )
  })
  return Effect.all(warnings, { discard: true })
}

const warnOfEnds = Effect.fnUntraced(function* (platforms: Connections, enabled: Configuration["enabled"]) {
  const now = yield* DateTime.now
  const warnings = enabled.flatMap((platform) => platforms[platform].warnAt?.(now) ?? [])
  yield* Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })
})

/** Only a warning, because posts without files still go out. */
const warnWithoutPublicUrl = ({ enabled, live, publicUrl }: Configuration) => {
  const names = enabled
    .filter((platform) => factsOf(platform).fetchesFiles === true)
    .map((platform) => `${platformName(platform)}${live[platform].takesVideos === true ? " (but for videos)" : ""}`)
  return Option.isSome(publicUrl) || names.length === 0
    ? Effect.void
    : Effect.logWarning(
        `PUBLIC_URL is not set, and BASE_URL is not public: files can't be posted to ${inSentence(names)}`
      )
}

const liveConnections = ({ live }: Configuration): Connections => Record.map(live, ({ connection }) => connection)

export const livePlatformsLayer = (config: Configuration) => {
  const platforms = liveConnections(config)
  return Layer.merge(
    clientLayer(platforms, config),
    Layer.effectDiscard(
      Effect.all(
        [
          warnWithoutApplications(platforms, config.enabled),
          warnOfEnds(platforms, config.enabled),
          warnWithoutPublicUrl(config)
        ],
        { discard: true }
      )
    )
  )
}

export const sandboxDirectory = (config: Configuration): string => path.join(config.dataDir, "sandbox")

export const sandboxPlatformsLayer = (config: Configuration) =>
  Layer.unwrap(Effect.map(Sandbox, (sandbox) => clientLayer(sandbox.platforms(config.baseUrl), config))).pipe(
    Layer.provideMerge(Sandbox.layer({ configured: config.live, directory: sandboxDirectory(config) })),
    Layer.provide(Layer.effectDiscard(makeDataDirectory(config)))
  )

const runningSandbox = Effect.fnUntraced(function* (config: Configuration, baseUrl: string) {
  const url = yield* readAddress(sandboxDirectory(config))
  if (Option.isSome(url)) return platformsAt(url.value, baseUrl, config.live)
  return yield* new ConfigurationError({
    message: "PLATFORMS: sandbox accounts are part of the running service; start it first, with the same DATA_DIR"
  })
}, Effect.provide(NodeFileSystem.layer))

const commandPlatforms = Effect.fnUntraced(function* (config: Configuration) {
  const baseUrl = yield* findBaseUrl(config)
  const platforms =
    config.platforms === "live" ? liveConnections(config) : yield* runningSandbox(config, baseUrl ?? config.baseUrl)
  return { baseUrl, platforms }
})

export const accountLinkingLayer = (config: Configuration) =>
  Layer.unwrap(
    Effect.map(commandPlatforms(config), ({ baseUrl, platforms }) => linkingLayer(platforms, config, baseUrl))
  )

export const platformTrialLayer = (config: Configuration) =>
  Layer.unwrap(
    Effect.map(commandPlatforms(config), ({ platforms }) =>
      Layer.provide(PlatformTrial.layer(platforms), platformClientLayer(platforms))
    )
  ).pipe(Layer.provide([NodeHttpClient.layerDispatcher, guardedClientLayer(config)]))

export const readingClientLayer = (config: Configuration) =>
  Layer.unwrap(Effect.map(commandPlatforms(config), ({ platforms }) => platformClientLayer(platforms))).pipe(
    Layer.provide([NodeHttpClient.layerDispatcher, guardedClientLayer(config)])
  )
