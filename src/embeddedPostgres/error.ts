import { Effect, Predicate, Schema } from "effect"

/** The embedded PostgreSQL can't be had. `message` is one line: what was wrong, where, and what to do. */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  message: Schema.String
}) {}

// A failed command's message ends with what the command said.
const lastLine = (cause: unknown): string =>
  (Predicate.isError(cause) ? cause.message : String(cause)).trim().split("\n").at(-1) ?? ""

/** Runs `step`; where it throws or rejects, the error says that `what` failed, and why. */
export const attempt = <A>(what: string, step: () => Promise<A> | A): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => step(),
    catch: (cause) => new EmbeddedPostgresError({ message: `${what} failed: ${lastLine(cause)}` })
  })
