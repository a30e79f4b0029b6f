import { Effect, Redacted, Schema, Stdio, Stream } from "effect"
import { Flag } from "effect/cli"
import { WorkspaceId } from "../domain/ids.ts"

export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for scripts"), Flag.withDefault(false))

export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDefault(false), Flag.withDescription(description))

export const workspace = Flag.String("workspace").pipe(
  Flag.withSchema(WorkspaceId),
  Flag.withDescription("ID of the workspace")
)

/**
 * Joins a flag with a negative value, as in `--overlap=-1h`. The parser would take a separate `-1h` for the flags -1
 * and -h, and print help. No flag of these commands begins with a digit.
 */
export const joinNegativeValues = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const isNegativeValue = (index: number) => /^-\d/.test(args[index] ?? "") && /^--[^=]+$/.test(args[index - 1] ?? "")
  return args.flatMap((arg, index) => {
    if (isNegativeValue(index)) return []
    return isNegativeValue(index + 1) ? [`${arg}=${args[index + 1]}`] : [arg]
  })
}

class NoPassword extends Schema.TaggedError<NoPassword>()("NoPassword", { message: Schema.String }) {}

export const readPassword = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  const text = yield* Stream.mkString(Stream.decodeText(stdin)).pipe(
    Effect.mapError(() => new NoPassword({ message: "Standard input can't be read; pipe the password into it" }))
  )
  const password = text.replace(/\r?\n$/, "")
  if (password === "") return yield* new NoPassword({ message: "Expected a password on standard input" })
  return Redacted.make(password)
})
