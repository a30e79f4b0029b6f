import { ConfigProvider, Console, Duration, Effect, Exit, Layer, Logger } from "effect"
import { configuration } from "../../../src/config.ts"
import { bundledOnce, serviceLayer } from "../../../src/wiring/service.ts"

/** All services of a process share one bundle, because bundling takes a second of a core. */
const dashboard = {
  ...bundledOnce,
  bundle: Effect.runSync(
    Effect.cachedWithTTL(bundledOnce.bundle, (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero))
  )
}

/**
 * Runs the service of src/main.ts in this process until the scope closes, without examples and with only the given
 * environment variables. Returns its greeting once it listens. A separate process (`runProgram`) would take seconds of
 * a core to start.
 */
export const runService = Effect.fn("runService")(function* (env: Readonly<Record<string, string>>) {
  let printed = ""
  const recorded: Console.Console = { ...globalThis.console, error: (...lines) => void (printed += lines.join(" ")) }
  const environment = ConfigProvider.layer(ConfigProvider.fromUnknown({ DEMO_EXAMPLES: "off", ...env }))
  const config = yield* Effect.provide(configuration, environment)
  yield* Layer.build(serviceLayer(config, dashboard)).pipe(
    Effect.provideService(Console.Console, recorded),
    Effect.provide(Logger.layer([]))
  )
  return printed
})
