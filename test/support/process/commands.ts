import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect, Layer, Logger, Result, Sink, Stdio, Stream } from "effect"
import { CliError } from "effect/cli"
import { presenterLayer } from "../../../src/cli/output.ts"
import { runCommandLine } from "../../../src/cli/root.ts"
import { configuration } from "../../../src/config.ts"
import { serviceLayer } from "../../../src/wiring/service.ts"

/**
 * Runs a command of src/cli.ts in this process, with only the given environment variables. A separate process
 * (`runProgram`) would take a second of a core to start.
 */
export const runCommand = Effect.fn("runCommand")(function* (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  input: string | Uint8Array = "",
  /** Makes standard error a terminal, and receives its text. */
  terminal?: (text: string) => void
) {
  let output = ""
  let errors = ""
  const writeError = (text: string) => {
    errors += text
    terminal?.(text)
  }
  const recorded: Console.Console = {
    ...globalThis.console,
    log: (...lines) => void (output += `${lines.join(" ")}\n`),
    error: (...lines) => writeError(`${lines.join(" ")}\n`)
  }
  const ended = yield* runCommandLine(args).pipe(
    Effect.tapError((error) => (CliError.isCliError(error) ? Effect.void : Console.error(error.message))),
    // Provided before Node's services, which would read this process's standard input.
    Effect.provide(
      Stdio.layerTest({
        stdin: Stream.make(typeof input === "string" ? new TextEncoder().encode(input) : input),
        stderrIsTerminal: Effect.succeed(terminal !== undefined),
        stderr: () => Sink.forEach((text: string | Uint8Array) => Effect.sync(() => writeError(String(text))))
      })
    ),
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

/** The one error line of src/main.ts, run in this process. Fails if the service starts. */
export const startError = (env: Readonly<Record<string, string>>) =>
  configuration.pipe(
    Effect.flatMap((config) => Effect.scoped(Layer.build(serviceLayer(config)))),
    Effect.flip,
    Effect.map(({ message }) => message),
    Effect.provide([Logger.layer([]), ConfigProvider.layer(ConfigProvider.fromUnknown(env))])
  )
