import { NodeFileSystem } from "@effect/platform-node"
import { Effect, Layer, Option } from "effect"
import path from "node:path"
import { type Configuration, ConfigurationError } from "../config.ts"
import { AccountLinking } from "../platforms/AccountLinking.ts"
import type { PlatformsConfig } from "../platforms/config.ts"
import { notedAddress, sandboxPlatforms } from "../sandbox/address.ts"

/** X and Bluesky themselves. */
export const livePlatforms = (config: Configuration): PlatformsConfig => ({
  twitter: {
    apiUrl: config.twitterApiUrl,
    webUrl: "https://x.com",
    clientId: Option.getOrElse(config.twitterClientId, () => ""),
    clientSecret: Option.getOrNull(config.twitterClientSecret)
  },
  bluesky: { defaultServiceUrl: config.blueskyServiceUrl, webUrl: "https://bsky.app" }
})

/** Where the sandbox keeps what happened. */
export const sandboxDirectory = (config: Configuration): string => path.join(config.dataDir, "sandbox")

const runningSandbox = Effect.fnUntraced(function* (config: Configuration) {
  const url = yield* notedAddress(sandboxDirectory(config))
  if (Option.isSome(url)) return sandboxPlatforms(url.value, config.baseUrl)
  return yield* new ConfigurationError({
    message: "PLATFORMS: sandbox accounts are part of the running service; start it first, with the same DATA_DIR"
  })
}, Effect.provide(NodeFileSystem.layer))

/** Connecting accounts from a command, beside the running service. */
export const connections = (config: Configuration) =>
  Layer.unwrap(
    Effect.map(
      config.platforms === "live" ? Effect.succeed(livePlatforms(config)) : runningSandbox(config),
      (platforms) => AccountLinking.layer(platforms, config.baseUrl, config.platforms)
    )
  )
