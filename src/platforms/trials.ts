import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect } from "effect"
import type { LivePlatform } from "../domain/platform.ts"
import { GuardedHttpClient } from "../outbound/GuardedHttpClient.ts"
import { makeBlueskyTrial } from "./bluesky/trial.ts"
import { makeCall, makeExchangeCall } from "./call.ts"
import type { PlatformsConfig } from "./config.ts"
import { makeDispatcherExchange } from "./exchange.ts"
import type { Trial } from "./Trial.ts"
import { makeTwitterTrial } from "./twitter/trial.ts"

/** The trials of all platforms that have an adapter. */
export const makeTrials = Effect.fnUntraced(function* (config: PlatformsConfig) {
  const exchange = yield* makeDispatcherExchange(yield* NodeHttpClient.Dispatcher)
  const trials: Readonly<Record<LivePlatform, Trial>> = {
    twitter: makeTwitterTrial(config.twitter, makeExchangeCall(exchange, "X")),
    bluesky: makeBlueskyTrial(config.bluesky, {
      configured: makeExchangeCall(exchange, "Bluesky"),
      guarded: makeCall(yield* GuardedHttpClient, "Bluesky")
    })
  }
  return trials
})
