import { Effect, Redacted, Schema, Stdio, Stream } from "effect"

/** Standard input held no password. */
class NoPassword extends Schema.TaggedError<NoPassword>()("NoPassword", { message: Schema.String }) {}

/** The password that standard input holds, without the line end that `echo` adds. */
export const passwordFromStandardInput = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  const text = yield* Stream.mkString(Stream.decodeText(stdin)).pipe(
    Effect.mapError(() => new NoPassword({ message: "Standard input can't be read; pipe the password into it" }))
  )
  const password = text.replace(/\r?\n$/, "")
  if (password === "") return yield* new NoPassword({ message: "Expected a password on standard input" })
  return Redacted.make(password)
})
