import { Effect, Predicate, Redacted, Schema } from "effect"
import { readFile } from "node:fs/promises"

class DatabaseTlsError extends Schema.TaggedError<DatabaseTlsError>()("DatabaseTlsError", {
  message: Schema.String
}) {}

/** In these modes the driver verifies the server's certificate and name. */
const verifying = new Set(["require", "verify-ca", "verify-full"])

/** Reads libpq's `sslrootcert`, which the driver ignores. Undefined means Node's own certificates. */
export const readTlsOptions = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  if (!URL.canParse(Redacted.value(url))) return undefined
  const { searchParams } = new URL(Redacted.value(url))
  const file = searchParams.get("sslrootcert")
  if (file === null || file === "system") return undefined
  if (!verifying.has(searchParams.get("sslmode") ?? "")) {
    return yield* new DatabaseTlsError({ message: "sslrootcert has no effect without sslmode=verify-full" })
  }
  const ca = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (error) =>
      new DatabaseTlsError({ message: `sslrootcert: ${Predicate.isError(error) ? error.message : String(error)}` })
  })
  return { ca }
})
