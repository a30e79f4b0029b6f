import { NodeCrypto, NodeHttpClient, NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Layer, References, Stdio } from "effect"
import { CliError, Command } from "effect/cli"
import { backup, restore, restored } from "./cli/backup.ts"
import { integration } from "./cli/integration.ts"
import { key } from "./cli/key.ts"
import { joinNegativeValues, json } from "./cli/input.ts"
import { presenterLayer, printRecord } from "./cli/output.ts"
import { resume } from "./cli/resume.ts"
import { user } from "./cli/user.ts"
import { workspace } from "./cli/workspace.ts"
import { configuration } from "./config.ts"
import { Indexes } from "./repo/postgres/buildIndexes.ts"
import { redactCause } from "./telemetry/redactCause.ts"
import { version } from "./domain/version.ts"
import { accountLinkingLayer } from "./wiring/platforms.ts"
import { storageLayer } from "./wiring/storage.ts"

/** Building the storage layer applies pending migrations. */
const migrate = Command.make(
  "migrate",
  { json },
  Effect.fn(function* (input) {
    const { build } = yield* Indexes
    yield* build
    yield* printRecord(input.json, { migrated: true })
  })
).pipe(Command.withDescription("Apply pending migrations to the database, and build its missing indexes"))

const root = Command.make("social-publisher").pipe(
  Command.withDescription("Operate the social publishing service"),
  Command.withSubcommands([
    migrate,
    workspace,
    key,
    user,
    integration(Layer.unwrap(Effect.map(configuration, accountLinkingLayer))),
    backup,
    restore,
    restored,
    resume
  ]),
  Command.provide(() => Layer.unwrap(Effect.map(configuration, storageLayer)))
)

Stdio.Stdio.use(({ args }) => Effect.map(args, joinNegativeValues)).pipe(
  Effect.flatMap(Command.runWith(root, { version })),
  // Effect has printed errors of the command line itself.
  Effect.tapError((error) => (CliError.isCliError(error) ? Effect.void : Console.error(error.message))),
  Effect.tapDefect((defect) =>
    Console.error(`The command failed unexpectedly: ${Cause.pretty(redactCause(Cause.die(defect)))}`)
  ),
  Effect.provide([NodeServices.layer, NodeHttpClient.layerUndici, NodeCrypto.layer, presenterLayer]),
  Effect.provideService(References.MinimumLogLevel, "Warn"),
  Effect.provideService(References.LogToStderr, true),
  (program) => NodeRuntime.runMain(program, { disableErrorReporting: true })
)
