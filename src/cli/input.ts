import { Effect, Redacted, Schema, Stdio, Stream } from "effect"
import { Argument, CliError, Flag } from "effect/cli"
import { WorkspaceId } from "../domain/ids.ts"

export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for scripts"), Flag.withDefault(false))

export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDefault(false), Flag.withDescription(description))

/** Effect's own `withSchema` would put "Schema validation failed" before the reason. `hint` says what helps. */
const decode =
  <A>(kind: "argument" | "flag", option: string, schema: Schema.Codec<A, string>, hint: string) =>
  (value: string) =>
    Effect.mapError(Schema.decodeEffect(schema)(value), ({ message }) => {
      const expected = `${message}${hint === "" ? "" : `; ${hint}`}`
      return new CliError.InvalidValue({ option, value, expected, kind })
    })

/** A flag with a text that the schema decodes. */
export const flagOf = <A>(name: string, schema: Schema.Codec<A, string>, hint = "") =>
  Flag.String(name).pipe(Flag.mapEffect(decode("flag", name, schema, hint)))

export const argumentOf = <A>(name: string, schema: Schema.Codec<A, string>, hint = "") =>
  Argument.String(name).pipe(Argument.mapEffect(decode("argument", name, schema, hint)))

export const workspace = flagOf("workspace", WorkspaceId, "`workspace list` prints the ids").pipe(
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
