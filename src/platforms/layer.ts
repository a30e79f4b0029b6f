import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer } from "effect"
import { GuardedHttpClient } from "../outbound/GuardedHttpClient.ts"
import { makeBlueskyAdapter } from "./bluesky/adapter.ts"
import { makeCall, makeExchangeCall } from "./call.ts"
import type { PlatformsConfig } from "./config.ts"
import { makeDispatcherExchange } from "./exchange.ts"
import { observed } from "./lastCall.ts"
import { PlatformClient } from "./PlatformClient.ts"
import { makeTwitterAdapter } from "./twitter/adapter.ts"
import { makePostLimits } from "./twitter/postLimits.ts"

/**
 * The adapters of all live platforms. Neither the dispatcher nor the client may follow redirects, which could carry a post to
 * another host (undici's Agent does not by default), and neither may be wrapped in anything that retries requests.
 */
export const platformClientLayer = (
  config: PlatformsConfig
): Layer.Layer<PlatformClient, never, NodeHttpClient.Dispatcher | GuardedHttpClient> =>
  Layer.effect(
    PlatformClient,
    Effect.gen(function* () {
      const exchange = yield* makeDispatcherExchange(yield* NodeHttpClient.Dispatcher)
      return {
        twitter: makeTwitterAdapter(config.twitter, observed(makeExchangeCall(exchange, "X")), yield* makePostLimits),
        bluesky: makeBlueskyAdapter(config.bluesky, {
          configured: observed(makeExchangeCall(exchange, "Bluesky")),
          guarded: observed(makeCall(yield* GuardedHttpClient, "Bluesky"))
        })
      }
    })
  )
