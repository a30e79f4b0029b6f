import { Console, Effect, Layer, References } from "effect"
import { Command } from "effect/cli"
import { configuration } from "../config.ts"
import { counted } from "../domain/counted.ts"
import { version } from "../domain/version.ts"
import { Indexes } from "../repo/postgres/buildIndexes.ts"
import { Migrated } from "../repo/postgres/migrations.ts"
import { clearRecordedExamples } from "../wiring/clearExamples.ts"
import { mediaStoreLayer } from "../wiring/media.ts"
import { accountLinkingLayer, platformTrialLayer, readingClientLayer } from "../wiring/platforms.ts"
import { rulesLayer } from "../wiring/rules.ts"
import { storageLayer } from "../wiring/storage.ts"
import { backup, markRestored, restore } from "./backup.ts"
import { platform } from "./checkPlatform.ts"
import { joinNegativeValues, json } from "./input.ts"
import { integration } from "./integration.ts"
import { key } from "./key.ts"
import { mail } from "./mail.ts"
import { mcp } from "./mcp.ts"
import { printRecord } from "./output.ts"
import { showProgress } from "./progress.ts"
import { resume } from "./resume.ts"
import { user } from "./user.ts"
import { webhook } from "./webhook.ts"
import { workspace } from "./workspace.ts"

/** Builds only indexes, because the storage layer has applied pending migrations by then. */
const migrate = Command.make(
  "migrate",
  { json },
  Effect.fn(function* (input) {
    const { build } = yield* Indexes
    const atStart = yield* Migrated
    const indexes = atStart.indexes + (yield* build)
    const { migrations } = atStart
    yield* input.json
      ? printRecord(true, { migrated: true, migrations, indexes })
      : Console.log(`${counted(migrations, "migration")} applied, ${counted(indexes, "index", "indexes")} built`)
  })
).pipe(Command.withDescription("Apply pending migrations to the database, and build its missing indexes"))

const storage = Layer.unwrap(
  Effect.map(configuration, (config) => Layer.merge(storageLayer(config), rulesLayer(config)))
)

const trialLayer = Layer.unwrap(Effect.map(configuration, platformTrialLayer))

const onDatabase = <Name extends string, Input, Shared, E, R>(command: Command.Command<Name, Input, Shared, E, R>) =>
  Command.provide(command, () => storage)

const root = Command.make("social-publisher").pipe(
  Command.withDescription("Operate the social publishing service"),
  Command.withSubcommands([
    onDatabase(migrate),
    onDatabase(workspace(Effect.flatMap(configuration, clearRecordedExamples))),
    onDatabase(key),
    onDatabase(user),
    onDatabase(integration(Layer.unwrap(Effect.map(configuration, accountLinkingLayer)), trialLayer)),
    onDatabase(platform(trialLayer)),
    onDatabase(webhook),
    onDatabase(backup),
    onDatabase(restore(Layer.unwrap(Effect.map(configuration, mediaStoreLayer)))),
    onDatabase(markRestored),
    onDatabase(resume(Layer.unwrap(Effect.map(configuration, readingClientLayer)))),
    mail,
    // `mcp` runs on the client's machine, from which the database may be unreachable.
    mcp
  ])
)

export const runCommandLine = (args: ReadonlyArray<string>) =>
  Command.runWith(root, { version })(joinNegativeValues(args)).pipe(
    Effect.provideService(References.MinimumLogLevel, "Warn"),
    Effect.provideService(References.LogToStderr, true),
    showProgress(args)
  )
