import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Cause, Console, Duration, Effect, Layer, type Option, Schedule } from "effect"
import { avatarFiber } from "../accounts/avatarFiber.ts"
import { upkeepFiber } from "../accounts/upkeepFiber.ts"
import { linkCardsLayer } from "../cards/LinkCards.ts"
import type { Configuration } from "../config.ts"
import { dashboardLayer } from "../http/operations/dashboard.ts"
import { demoSessionLayer } from "../http/operations/demoSession.ts"
import { twitterCallbackLayer } from "../http/operations/twitterCallback.ts"
import { serverLayer } from "../http/server.ts"
import { MediaReader } from "../media/MediaReader.ts"
import { notificationRetentionLayer } from "../notifier/retention.ts"
import { deletedRetentionLayer } from "../publishing/deletedRetention.ts"
import { ReachesLoopback } from "../outbound/ReachesLoopback.ts"
import { version } from "../domain/version.ts"
import { Publisher } from "../publishing/Publisher.ts"
import { scheduledFiber } from "../publishing/scheduledFiber.ts"
import { sandboxRoutesLayer } from "../sandbox/routes.ts"
import { Indexes } from "../repo/postgres/buildIndexes.ts"
import { Deliverer } from "../webhooks/Deliverer.ts"
import { webhookFibers } from "../webhooks/webhookFibers.ts"
import { afterOutageLayer, holdReportLayer } from "./afterOutage.ts"
import { dashboardBundle } from "./dashboard.ts"
import { createDemo, demoEmail, greeting } from "./demo.ts"
import { mediaLayer } from "./media.ts"
import { mediaFilesLayer } from "./mediaFiles.ts"
import { outboundLayer } from "./outbound.ts"
import { livePlatformsLayer, sandboxPlatformsLayer } from "./platforms.ts"
import { progressLogLayer } from "./progressLog.ts"
import { readinessLayer } from "./readiness.ts"
import { announceAddressLayer } from "./serviceAddress.ts"
import { storageLayer } from "./storage.ts"

/** A proxy needs some time to notice that the process stops. */
const serverOptions = (config: Configuration) =>
  config.trustProxy === "on" ? { ...config, drainTime: Duration.seconds(2) } : config

/**
 * The server with `extraRoutes`, and the publisher. Prints the greeting once both run, on standard error: standard output may be
 * kept as a log, and the greeting has a key.
 */
const runningLayer = <E1, R1, E2, R2>(
  config: Configuration,
  extraRoutes: Layer.Layer<never, E1, R1>,
  demoKey: Effect.Effect<Option.Option<string>, E2, R2>
) => {
  const media = mediaLayer(config)
  return Layer.effectDiscard(Effect.flatMap(demoKey, (key) => Console.error(greeting(config, key)))).pipe(
    Layer.provide(avatarFiber.pipe(Layer.provide([MediaReader.layer, NodeFileSystem.layer, outboundLayer(config)]))),
    Layer.provide([announceAddressLayer(config), upkeepFiber, notificationRetentionLayer, deletedRetentionLayer]),
    Layer.provide(
      Layer.merge(
        serverLayer(
          serverOptions(config),
          Layer.mergeAll(
            extraRoutes,
            twitterCallbackLayer(config.baseUrl),
            dashboardLayer({ bundle: dashboardBundle, demo: config.offersDemo })
          )
        ),
        scheduledFiber
      )
    ),
    Layer.provide(linkCardsLayer.pipe(Layer.provide(outboundLayer(config)))),
    Layer.merge(holdReportLayer),
    Layer.merge(webhookFibers.pipe(Layer.provide(Deliverer.layer), Layer.provide(outboundLayer(config)))),
    Layer.provide(Layer.succeed(ReachesLoopback, config.reachesLoopback)),
    Layer.provide(media),
    Layer.provide(readinessLayer),
    Layer.provide(Publisher.layer),
    Layer.provide(Layer.provide(mediaFilesLayer, media))
  )
}

const liveLayer = (config: Configuration) =>
  runningLayer(config, Layer.empty, Effect.succeedNone).pipe(Layer.provide(livePlatformsLayer(config)))

const sandboxedLayer = (config: Configuration) =>
  runningLayer(
    config,
    config.offersDemo
      ? Layer.merge(sandboxRoutesLayer, demoSessionLayer({ baseUrl: config.baseUrl, email: demoEmail }))
      : sandboxRoutesLayer,
    createDemo(config)
  ).pipe(Layer.provide(sandboxPlatformsLayer(config)))

/** Builds missing indexes while the service runs. */
const indexesLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { build } = yield* Indexes
    yield* build.pipe(
      Effect.tapCause((cause) => Effect.logWarning("An index could not be built; trying again", Cause.squash(cause))),
      Effect.sandbox,
      Effect.retry(Schedule.spaced("1 minute")),
      Effect.forkScoped
    )
  })
)

/** The first line of the log tells which version runs. */
const announceVersionLayer = Layer.effectDiscard(
  Effect.logInfo(`Version ${version} starts on Node ${process.versions.node}`)
)

/** The whole service. */
export const serviceLayer = (config: Configuration) =>
  (config.platforms === "live" ? liveLayer(config) : sandboxedLayer(config)).pipe(
    Layer.merge(indexesLayer),
    Layer.provide(afterOutageLayer),
    Layer.provide([NodeHttpClient.layerUndici, NodeCrypto.layer]),
    Layer.provide(Layer.provide(storageLayer(config), announceVersionLayer)),
    Layer.provide(progressLogLayer)
  )
