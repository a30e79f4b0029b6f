import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Stdio } from "effect"
import { CliError } from "effect/cli"
import { presenterLayer } from "./cli/output.ts"
import { runCommandLine } from "./cli/root.ts"
import { surviveClosedOutput } from "./telemetry/closedOutput.ts"
import { redactCause } from "./telemetry/redactCause.ts"

surviveClosedOutput()

Stdio.Stdio.use(({ args }) => Effect.flatMap(args, runCommandLine)).pipe(
  // The layers are provided here, so that the handlers below also print the layers' own errors.
  Effect.provide([NodeServices.layer, NodeHttpClient.layerUndici, NodeCrypto.layer, presenterLayer]),
  // Effect itself has already printed a CliError, which is a mistake in the command line.
  Effect.tapError((error) => (CliError.isCliError(error) ? Effect.void : Console.error(error.message))),
  Effect.tapDefect((defect) =>
    Console.error(`The command failed unexpectedly: ${Cause.pretty(redactCause(Cause.die(defect)))}`)
  ),
  (program) => NodeRuntime.runMain(program, { disableErrorReporting: true })
)
