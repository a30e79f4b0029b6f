import { Effect, Predicate, Schema } from "effect"

/** `message` is one line: the problem, its place, and the remedy. */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  message: Schema.String
}) {}

// The message of a failed command ends with the command's own output.
const lastLine = (cause: unknown): string =>
  (Predicate.isError(cause) ? cause.message : String(cause)).trim().split("\n").at(-1) ?? ""

/** If `step` throws or rejects, the message is `<what> failed: <reason>`. */
export const attempt = <A>(what: string, step: () => Promise<A> | A): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => step(),
    catch: (cause) => new EmbeddedPostgresError({ message: `${what} failed: ${lastLine(cause)}` })
  })
