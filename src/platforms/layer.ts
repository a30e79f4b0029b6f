import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { makeBlueskyAdapter } from "./bluesky/adapter.ts"
import { makeExchangeCall } from "./call.ts"
import type { PlatformsConfig } from "./config.ts"
import { dispatcherExchange } from "./exchange.ts"
import { observed } from "./lastCall.ts"
import { PlatformClient } from "./PlatformClient.ts"
import { makeTwitterAdapter } from "./twitter/adapter.ts"

/**
 * The adapters of all live platforms. The dispatcher must not follow redirects, which could carry a post to another host
 * (undici's Agent does not by default), and must not be composed with anything that retries requests.
 */
export const platformClientLayer = (
  config: PlatformsConfig
): Layer.Layer<PlatformClient, never, NodeHttpClient.Dispatcher> =>
  Layer.effect(
    PlatformClient,
    Effect.map(NodeHttpClient.Dispatcher, (dispatcher) => {
      const call = (platform: string) => observed(makeExchangeCall(dispatcherExchange(dispatcher), platform))
      return {
        twitter: makeTwitterAdapter(config.twitter, call("X")),
        bluesky: makeBlueskyAdapter(config.bluesky, call("Bluesky"))
      }
    })
  )
