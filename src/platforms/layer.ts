import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Record } from "effect"
import { platformName } from "../domain/plain/platforms.ts"
import { GuardedHttpClient } from "../outbound/GuardedHttpClient.ts"
import { makeCall, makeExchangeCall } from "./call.ts"
import type { Connections } from "./Connection.ts"
import { makeDispatcherExchange } from "./exchange.ts"
import { observed } from "./lastCall.ts"
import { PlatformClient } from "./PlatformClient.ts"

/** Neither the dispatcher nor the client may retry or follow redirects (undici's Agent does not by default). */
export const platformClientLayer = (
  platforms: Connections
): Layer.Layer<PlatformClient, never, NodeHttpClient.Dispatcher | GuardedHttpClient> =>
  Layer.effect(
    PlatformClient,
    Effect.gen(function* () {
      const exchange = yield* makeDispatcherExchange(yield* NodeHttpClient.Dispatcher)
      const guarded = yield* GuardedHttpClient
      const adapters = Record.map(platforms, ({ makeAdapter }, platform) => {
        const name = platformName(platform)
        return makeAdapter({
          configured: observed(makeExchangeCall(exchange, name)),
          guarded: observed(makeCall(guarded, name))
        })
      })
      return yield* Effect.all(adapters)
    })
  )
