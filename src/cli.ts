import { NodeCrypto, NodeHttpClient, NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Layer, References } from "effect"
import { CliError, Command } from "effect/cli"
import { integration } from "./cli/integration.ts"
import { key } from "./cli/key.ts"
import { json, printRecord } from "./cli/output.ts"
import { user } from "./cli/user.ts"
import { workspace } from "./cli/workspace.ts"
import { configuration } from "./config.ts"
import { accountLinkingLayer } from "./wiring/platforms.ts"
import { storageLayer } from "./wiring/storage.ts"
import { redactCause } from "./telemetry/redactCause.ts"

/** Opening the storage applies what is missing. */
const migrate = Command.make("migrate", { json }, (input) => printRecord(input.json, { migrated: true })).pipe(
  Command.withDescription("Apply the migrations that the database lacks")
)

const root = Command.make("social-publisher").pipe(
  Command.withDescription("Operate the social publishing service"),
  Command.withSubcommands([
    migrate,
    workspace,
    key,
    user,
    integration(Layer.unwrap(Effect.map(configuration, accountLinkingLayer)))
  ]),
  Command.provide(() => Layer.unwrap(Effect.map(configuration, storageLayer)))
)

Command.run(root, { version: "0.1.0" }).pipe(
  // What is wrong with the command line itself has been printed by then.
  Effect.tapError((error) => (CliError.isCliError(error) ? Effect.void : Console.error(error.message))),
  Effect.tapDefect((defect) =>
    Console.error(`The command failed unexpectedly: ${Cause.pretty(redactCause(Cause.die(defect)))}`)
  ),
  Effect.provide([NodeServices.layer, NodeHttpClient.layerUndici, NodeCrypto.layer]),
  Effect.provideService(References.MinimumLogLevel, "Warn"),
  Effect.provideService(References.LogToStderr, true),
  (program) => NodeRuntime.runMain(program, { disableErrorReporting: true })
)
