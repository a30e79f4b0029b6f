import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit, Layer } from "effect"
import { configuration } from "./config.ts"
import { telemetryLayer } from "./telemetry/telemetry.ts"
import { serviceLayer } from "./wiring/service.ts"
import { startMemoryLayer } from "./wiring/startMemory.ts"

const main = Effect.gen(function* () {
  const config = yield* configuration
  return yield* Layer.launch(Layer.provide(startMemoryLayer, serviceLayer(config))).pipe(
    Effect.tapDefect((defect) => Effect.logError("The service failed unexpectedly", Cause.die(defect))),
    Effect.provide(telemetryLayer(config))
  )
})

/** A signal interrupts the process, which is its normal end. */
const exitCode = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? 0 : 1

NodeRuntime.runMain(
  Effect.tapError(main, (error) => Console.error(error.message)),
  { disableErrorReporting: true, teardown: (exit, end) => end(exitCode(exit)) }
)
