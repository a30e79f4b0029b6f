import { Effect, Predicate, Redacted, Schema } from "effect"
import { readFile } from "node:fs/promises"

/** What the URL of the database says of TLS can't be used; `message` says why in one line. */
class DatabaseTlsError extends Schema.TaggedError<DatabaseTlsError>()("DatabaseTlsError", {
  message: Schema.String
}) {}

/** The driver verifies the server's certificate and its name in each of these. */
const verifying = new Set(["require", "verify-ca", "verify-full"])

/**
 * The certificate authorities in the file that `sslrootcert` of the URL names, as libpq has it, which the driver does not read;
 * undefined where Node's own are meant.
 */
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
