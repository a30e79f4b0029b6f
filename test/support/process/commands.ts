import { NodeCrypto, NodeHttpClient, NodeServices } from "@effect/platform-node"
import { ConfigProvider, Console, Effect, Layer, Result, Stdio, Stream } from "effect"
import { CliError, Command } from "effect/cli"
import { backup, restore, markRestored } from "../../../src/cli/backup.ts"
import { integration } from "../../../src/cli/integration.ts"
import { key } from "../../../src/cli/key.ts"
import { presenterLayer } from "../../../src/cli/output.ts"
import { resume } from "../../../src/cli/resume.ts"
import { user } from "../../../src/cli/user.ts"
import { workspace } from "../../../src/cli/workspace.ts"
import { configuration } from "../../../src/config.ts"
import { accountLinkingLayer } from "../../../src/wiring/platforms.ts"
import { storageLayer } from "../../../src/wiring/storage.ts"

const root = Command.make("social-publisher").pipe(
  Command.withSubcommands([
    workspace,
    key,
    user,
    integration(Layer.unwrap(Effect.map(configuration, accountLinkingLayer))),
    backup,
    restore,
    markRestored,
    resume
  ]),
  Command.provide(() => Layer.unwrap(Effect.map(configuration, storageLayer)))
)

/**
 * Runs a command of src/cli.ts within this process, with no environment variables but the given ones. A process of its own
 * takes a second of a core to start, which `runProgram` is for.
 */
export const runCommand = Effect.fn("runCommand")(function* (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  /** Its standard input. */
  input = ""
) {
  let output = ""
  let errors = ""
  const recorded: Console.Console = {
    ...globalThis.console,
    log: (...lines) => void (output += `${lines.join(" ")}\n`),
    error: (...lines) => void (errors += `${lines.join(" ")}\n`)
  }
  const ended = yield* Command.runWith(root, { version: "0.0.0" })(args).pipe(
    Effect.tapError((error) => (CliError.isCliError(error) ? Effect.void : Console.error(error.message))),
    // Before the services of Node, which would read this process's standard input.
    Effect.provide(Stdio.layerTest({ stdin: Stream.make(new TextEncoder().encode(input)) })),
    Effect.provide([
      NodeServices.layer,
      NodeHttpClient.layerUndici,
      NodeCrypto.layer,
      presenterLayer,
      ConfigProvider.layer(ConfigProvider.fromUnknown(env))
    ]),
    Effect.provideService(Console.Console, recorded),
    Effect.result
  )
  return { code: Result.isSuccess(ended) ? 0 : 1, output, errors }
})
