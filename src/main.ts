import { NodeCrypto, NodeHttpClient, NodeRuntime } from "@effect/platform-node"
import { Cause, Console, DateTime, Duration, Effect, Exit, Layer, type Option } from "effect"
import { type Configuration, configuration } from "./config.ts"
import { demoWorkspace, greeting } from "./wiring/demo.ts"
import { Readiness } from "./http/operations/Readiness.ts"
import { server } from "./http/server.ts"
import { twitterCallback } from "./http/operations/twitterCallback.ts"
import { livePlatforms, sandboxDirectory } from "./wiring/platforms.ts"
import { AccountLinking } from "./platforms/AccountLinking.ts"
import type { PlatformsConfig } from "./platforms/config.ts"
import { platformClientLayer } from "./platforms/layer.ts"
import { Sandbox } from "./sandbox/Sandbox.ts"
import { SandboxRoutes } from "./sandbox/SandboxRoutes.ts"
import { Publisher } from "./publishing/Publisher.ts"
import { scheduledFiber } from "./publishing/scheduledFiber.ts"
import { pollInterval } from "./publishing/timing.ts"
import { Repo } from "./repo/Repo.ts"
import { storage } from "./wiring/storage.ts"
import { telemetry } from "./telemetry/telemetry.ts"

/** After this long without a tick the publisher counts as stuck. */
const stuckAfter = Duration.times(pollInterval, 3)

const readiness = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const repo = yield* Repo
    const publisher = yield* Publisher
    const database = repo.ping.pipe(
      Effect.as({ name: "database", ok: true, detail: "answers" }),
      Effect.catchTag("DatabaseUnavailable", ({ message }) =>
        Effect.succeed({ name: "database", ok: false, detail: message })
      )
    )
    const publishing = Effect.gen(function* () {
      const age = DateTime.distance(yield* publisher.lastTick, yield* DateTime.now)
      return {
        name: "publisher",
        ok: Duration.isLessThan(age, stuckAfter),
        detail: `last tick ${Math.round(Duration.toSeconds(age))} s ago`
      }
    })
    return Readiness.of({ check: Effect.all([database, publishing]) })
  })
)

/** Where posts go, and how accounts are connected there. */
const platforms = (where: PlatformsConfig, config: Configuration) =>
  Layer.merge(platformClientLayer(where), AccountLinking.layer(where, config.baseUrl, config.platforms))

/** The API, what is served beside it, and the publisher; `key` is told of once all that runs. */
const running = <E1, R1, E2, R2>(
  config: Configuration,
  pages: Layer.Layer<never, E1, R1>,
  key: Effect.Effect<Option.Option<string>, E2, R2>
) =>
  Layer.effectDiscard(Effect.flatMap(key, (first) => Console.log(greeting(config, first)))).pipe(
    Layer.provide(Layer.merge(server(config, Layer.merge(pages, twitterCallback)), scheduledFiber)),
    Layer.provide(readiness),
    Layer.provide(Publisher.layer)
  )

const live = (config: Configuration) =>
  running(config, Layer.empty, Effect.succeedNone).pipe(Layer.provide(platforms(livePlatforms(config), config)))

const sandboxed = (config: Configuration) =>
  running(config, SandboxRoutes, demoWorkspace).pipe(
    Layer.provide(Layer.unwrap(Effect.map(Sandbox, (sandbox) => platforms(sandbox.platforms(config.baseUrl), config)))),
    Layer.provide(Sandbox.layer({ directory: sandboxDirectory(config) }))
  )

const service = (config: Configuration) =>
  (config.platforms === "live" ? live(config) : sandboxed(config)).pipe(
    Layer.provide([NodeHttpClient.layerUndici, NodeCrypto.layer]),
    Layer.provide(storage(config))
  )

const main = Effect.gen(function* () {
  const config = yield* configuration
  return yield* Layer.launch(service(config)).pipe(
    Effect.tapDefect((defect) => Effect.logError("The service failed unexpectedly", Cause.die(defect))),
    Effect.provide(telemetry(config))
  )
})

/** Being told to stop is how this process ends well. */
const exitCode = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? 0 : 1

NodeRuntime.runMain(
  Effect.tapError(main, (error) => Console.error(error.message)),
  { disableErrorReporting: true, teardown: (exit, end) => end(exitCode(exit)) }
)
