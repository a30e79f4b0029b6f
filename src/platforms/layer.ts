import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { GuardedHttpClient } from "../outbound/GuardedHttpClient.ts"
import { makeBlueskyAdapter } from "./bluesky/adapter.ts"
import { makeCall } from "./call.ts"
import type { PlatformsConfig } from "./config.ts"
import { observed } from "./lastCall.ts"
import { PlatformClient } from "./PlatformClient.ts"
import { makeTwitterAdapter } from "./twitter/adapter.ts"

/**
 * The adapters of all live platforms. The HTTP clients must not follow redirects, which could carry a post to another host
 * (NodeHttpClient's undici does not by default; fetch does), and must not be wrapped in anything that retries requests.
 */
export const platformClientLayer = (
  config: PlatformsConfig
): Layer.Layer<PlatformClient, never, HttpClient.HttpClient | GuardedHttpClient> =>
  Layer.effect(
    PlatformClient,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      return {
        twitter: makeTwitterAdapter(config.twitter, observed(makeCall(client, "X"))),
        bluesky: makeBlueskyAdapter(config.bluesky, {
          configured: observed(makeCall(client, "Bluesky")),
          documented: observed(makeCall(yield* GuardedHttpClient, "Bluesky"))
        })
      }
    })
  )
