import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { makeBlueskyAdapter } from "./bluesky/adapter.ts"
import type { BlueskyConfig } from "./bluesky/config.ts"
import { makeCall } from "./call.ts"
import { PlatformClient } from "./PlatformClient.ts"
import { makeTwitterAdapter } from "./twitter/adapter.ts"
import type { TwitterConfig } from "./twitter/config.ts"

/** Where the platforms are, live or sandbox. No address ends in a slash. */
export interface PlatformsConfig {
  readonly twitter: TwitterConfig
  readonly bluesky: BlueskyConfig
}

/**
 * The live platforms. The client must not follow redirects, which could carry a post to another host (NodeHttpClient's
 * undici does not; fetch does unless told otherwise), and must not be wrapped in anything that repeats requests.
 */
export const layerPlatforms = (config: PlatformsConfig): Layer.Layer<PlatformClient, never, HttpClient.HttpClient> =>
  Layer.effect(
    PlatformClient,
    Effect.map(HttpClient.HttpClient, (client) => ({
      twitter: makeTwitterAdapter(config.twitter, makeCall(client, "X")),
      bluesky: makeBlueskyAdapter(config.bluesky, makeCall(client, "Bluesky"))
    }))
  )
