import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Cause, Console, Duration, Effect, Layer, type Option, Schedule } from "effect"
import type { HttpRouter } from "effect/http"
import { CredentialCheck } from "../accounts/CredentialCheck.ts"
import { askAccountLayer } from "../accounts/AskAccount.ts"
import { askPostingOptionsLayer } from "../accounts/AskPostingOptions.ts"
import { avatarFiber } from "../accounts/avatarFiber.ts"
import { upkeepFiber } from "../accounts/upkeepFiber.ts"
import { keptPicturesLayer } from "../cards/KeptPictures.ts"
import { linkCardsLayer } from "../cards/LinkCards.ts"
import type { Configuration } from "../config.ts"
import { clearExamples, countExamples } from "../demo/clearExamples.ts"
import { createDemo, demoEmail } from "../demo/createDemo.ts"
import { accountDecisionLayer } from "../http/pages/accountDecision.ts"
import { fileLinksLayer } from "../http/pages/fileLinks.ts"
import { consentCallbackLayer } from "../http/pages/consentCallback.ts"
import { dashboardLayer, type DashboardOptions } from "../http/pages/dashboard.ts"
import { demoSessionLayer } from "../http/pages/demoSession.ts"
import { examplesLayer } from "../http/pages/examples.ts"
import { serverLayer } from "../http/server.ts"
import { dispatchFiber } from "../mail/deliveryFibers.ts"
import { mcpLayer } from "../mcp/server.ts"
import { MediaReader } from "../media/process/MediaReader.ts"
import { approvalRemindersLayer } from "../notifier/approvalReminders.ts"
import { overdueDraftsLayer } from "../notifier/overdueDrafts.ts"
import { checkFilesLayer } from "../outlook/CheckFiles.ts"
import { checkLinksLayer } from "../outlook/CheckLinks.ts"
import { eveningCheckLayer } from "../outlook/eveningCheck.ts"
import { Outlook } from "../outlook/Outlook.ts"
import { ReachesLoopback } from "../outbound/ReachesLoopback.ts"
import { version } from "../domain/version.ts"
import { Publisher } from "../publishing/Publisher.ts"
import { findAddressesFiber } from "../publishing/findAddresses.ts"
import { renewAheadFiber } from "../publishing/renewAhead.ts"
import { scheduledFiber } from "../publishing/scheduledFiber.ts"
import { sandboxRoutesLayer } from "../sandbox/routes.ts"
import { Indexes } from "../repo/postgres/buildIndexes.ts"
import { sweeperLayer } from "../sweeper.ts"
import { Deliverer } from "../webhooks/Deliverer.ts"
import { webhookFibers } from "../webhooks/webhookFibers.ts"
import { MayClaim } from "../worker/MayClaim.ts"
import { afterOutageLayer, holdReportLayer } from "./afterOutage.ts"
import { channelTestsLayer, chatLayer } from "./chat.ts"
import { dashboardBundle } from "./dashboard.ts"
import { databaseSettingsReportLayer } from "./databaseSettings.ts"
import { greeting } from "./greeting.ts"
import { keysFiber } from "./keysFiber.ts"
import { currentMailerLayer, mailLayer } from "./mail.ts"
import { mediaLayer } from "./media.ts"
import { mediaFilesLayer } from "./mediaFiles.ts"
import { outboundLayer } from "./outbound.ts"
import { livePlatformsLayer, sandboxPlatformsLayer } from "./platforms.ts"
import { progressLogLayer } from "./progressLog.ts"
import { readinessLayer } from "./readiness.ts"
import { rulesLayer } from "./rules.ts"
import { announceAddressLayer } from "./serviceAddress.ts"
import { storageLayer } from "./storage.ts"

/** A proxy needs some time to notice that the process stops. */
const serverOptions = (config: Configuration) =>
  config.trustProxy === "on" ? { ...config, drainTime: Duration.seconds(2) } : config

interface DashboardSource {
  readonly bundle: DashboardOptions["bundle"]
  readonly isLive: boolean
  readonly routes: Layer.Layer<never, never, HttpRouter.HttpRouter>
}

export const bundledOnce: DashboardSource = { bundle: dashboardBundle, isLive: false, routes: Layer.empty }

/**
 * Prints the greeting once the server and the publisher run, on standard error: standard output may be kept as a log,
 * and the greeting contains a key.
 */
const runningLayer = <E1, R1, E2, R2>(
  config: Configuration,
  dashboard: DashboardSource,
  extraRoutes: Layer.Layer<never, E1, R1>,
  demoKey: Effect.Effect<Option.Option<string>, E2, R2>
) => {
  const media = mediaLayer(config)
  return Layer.effectDiscard(Effect.flatMap(demoKey, (key) => Console.error(greeting(config, key)))).pipe(
    Layer.provide(announceAddressLayer(config)),
    // Merged, so that these layers stop in parallel.
    Layer.provide(
      Layer.mergeAll(
        avatarFiber.pipe(Layer.provide([MediaReader.layer, NodeFileSystem.layer, outboundLayer(config)])),
        keysFiber,
        upkeepFiber,
        sweeperLayer,
        overdueDraftsLayer,
        approvalRemindersLayer,
        eveningCheckLayer,
        serverLayer(
          serverOptions(config),
          Layer.mergeAll(
            extraRoutes,
            consentCallbackLayer(config.baseUrl),
            accountDecisionLayer(config.baseUrl),
            fileLinksLayer,
            mcpLayer(config),
            dashboardLayer({ ...dashboard, demo: config.offersDemo }),
            dashboard.routes
          )
        ),
        scheduledFiber,
        renewAheadFiber,
        findAddressesFiber
      )
    ),
    // One for the API and for the evening's check, so that a workspace makes one check at a time.
    Layer.provide(Outlook.layer),
    Layer.provide([askAccountLayer, checkFilesLayer, Layer.provide(checkLinksLayer, outboundLayer(config))]),
    Layer.provide(Layer.merge(linkCardsLayer, keptPicturesLayer).pipe(Layer.provide(outboundLayer(config)))),
    Layer.provide(askPostingOptionsLayer),
    Layer.merge(holdReportLayer),
    Layer.merge(webhookFibers.pipe(Layer.provide(Deliverer.layer), Layer.provide(outboundLayer(config)))),
    Layer.provide([Layer.succeed(ReachesLoopback, config.reachesLoopback), channelTestsLayer(config)]),
    Layer.provide(media),
    Layer.provide(readinessLayer),
    Layer.provide(Publisher.layer),
    Layer.provide(Layer.provide(mediaFilesLayer(config), media)),
    Layer.provide(claimGateLayer),
    Layer.provide(CredentialCheck.layer)
  )
}

const liveLayer = (config: Configuration, dashboard: DashboardSource) =>
  runningLayer(config, dashboard, Layer.empty, Effect.succeedNone).pipe(Layer.provide(livePlatformsLayer(config)))

const claimGateLayer = Layer.effect(
  MayClaim,
  Effect.map(CredentialCheck, ({ mayPublish }) => mayPublish)
)

const demoLayer = ({ baseUrl }: Configuration) =>
  Layer.merge(
    demoSessionLayer({ baseUrl, email: demoEmail }),
    examplesLayer({ baseUrl, count: countExamples, clear: clearExamples })
  )

const sandboxedLayer = (config: Configuration, dashboard: DashboardSource) => {
  const timelines = sandboxRoutesLayer({
    baseUrl: config.baseUrl,
    enabled: config.enabled,
    beforeTimelines: Effect.ignore(countExamples)
  })
  return runningLayer(
    config,
    dashboard,
    config.offersDemo ? Layer.merge(timelines, demoLayer(config)) : timelines,
    createDemo({ ...config, examples: config.demoExamples === "on" })
  ).pipe(Layer.provide(sandboxPlatformsLayer(config)))
}

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

const announceVersionLayer = Layer.effectDiscard(
  Effect.logInfo(`Version ${version} starts on Node ${process.versions.node}`)
)

export const serviceLayer = (config: Configuration, dashboard: DashboardSource = bundledOnce) =>
  (config.platforms === "live" ? liveLayer(config, dashboard) : sandboxedLayer(config, dashboard)).pipe(
    Layer.merge(indexesLayer),
    Layer.merge(databaseSettingsReportLayer),
    // Not behind the claim gate: people are to know why nothing is published.
    Layer.merge(Layer.mergeAll(dispatchFiber, mailLayer(config), chatLayer(config))),
    Layer.provide(afterOutageLayer),
    Layer.provide([NodeHttpClient.layerUndici, NodeCrypto.layer]),
    Layer.provide(Layer.provide(storageLayer(config), announceVersionLayer)),
    Layer.provide([progressLogLayer, rulesLayer(config), currentMailerLayer(config)])
  )
