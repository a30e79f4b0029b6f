import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit, Layer } from "effect"
import { type Configuration, configuration } from "./config.ts"
import { surviveClosedOutput } from "./telemetry/closedOutput.ts"
import { telemetryLayer } from "./telemetry/telemetry.ts"

/** A signal stops the process by interruption, which counts as success. */
const exitCode = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? 0 : 1

/** Runs until the process is stopped. A failed start prints one line. */
export const runService = <E extends { readonly message: string }>(
  service: (config: Configuration) => Layer.Layer<never, E>
) => {
  const main = Effect.gen(function* () {
    const config = yield* configuration
    return yield* Layer.launch(service(config)).pipe(
      Effect.tapDefect((defect) => Effect.logError("The service failed unexpectedly", Cause.die(defect))),
      Effect.provide(telemetryLayer(config))
    )
  })
  surviveClosedOutput()
  NodeRuntime.runMain(
    Effect.tapError(main, (error) => Console.error(error.message)),
    { disableErrorReporting: true, teardown: (exit, end) => end(exitCode(exit)) }
  )
}
