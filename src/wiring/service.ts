import { NodeCrypto, NodeHttpClient } from "@effect/platform-node"
import { Console, Effect, Layer, type Option } from "effect"
import type { Configuration } from "../config.ts"
import { twitterCallbackLayer } from "../http/operations/twitterCallback.ts"
import { serverLayer } from "../http/server.ts"
import { notificationRetentionLayer } from "../notifier/retention.ts"
import { Publisher } from "../publishing/Publisher.ts"
import { scheduledFiber } from "../publishing/scheduledFiber.ts"
import { sandboxRoutesLayer } from "../sandbox/routes.ts"
import { createDemoWorkspace, greeting } from "./demo.ts"
import { livePlatformsLayer, sandboxPlatformsLayer } from "./platforms.ts"
import { readinessLayer } from "./readiness.ts"
import { storageLayer } from "./storage.ts"

/** The server with `extraRoutes`, and the publisher. Prints the greeting once both run. */
const runningLayer = <E1, R1, E2, R2>(
  config: Configuration,
  extraRoutes: Layer.Layer<never, E1, R1>,
  demoKey: Effect.Effect<Option.Option<string>, E2, R2>
) =>
  Layer.effectDiscard(Effect.flatMap(demoKey, (key) => Console.log(greeting(config, key)))).pipe(
    Layer.provide(Layer.merge(serverLayer(config, Layer.merge(extraRoutes, twitterCallbackLayer)), scheduledFiber)),
    Layer.provide(notificationRetentionLayer),
    Layer.provide(readinessLayer),
    Layer.provide(Publisher.layer)
  )

const liveLayer = (config: Configuration) =>
  runningLayer(config, Layer.empty, Effect.succeedNone).pipe(Layer.provide(livePlatformsLayer(config)))

const sandboxedLayer = (config: Configuration) =>
  runningLayer(config, sandboxRoutesLayer, createDemoWorkspace).pipe(Layer.provide(sandboxPlatformsLayer(config)))

/** The whole service. */
export const serviceLayer = (config: Configuration) =>
  (config.platforms === "live" ? liveLayer(config) : sandboxedLayer(config)).pipe(
    Layer.provide([NodeHttpClient.layerUndici, NodeCrypto.layer]),
    Layer.provide(storageLayer(config))
  )
