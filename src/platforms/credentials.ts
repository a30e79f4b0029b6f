import { Effect, Redacted, Result, Schema } from "effect"
import { NeedsReauthorization } from "../domain/publishing/platformError.ts"
import { jsonReader } from "./json.ts"

/** Stores credentials as JSON, which the repository encrypts. */
export const credentialsCodec = <S extends Schema.ConstraintCodec<unknown, unknown>>(platform: string, schema: S) => {
  const readJson = jsonReader(schema)
  const encodeJson = Schema.encodeSync(Schema.fromJsonString(schema))
  const read = (stored: Redacted.Redacted): Result.Result<S["Type"], NeedsReauthorization> =>
    Result.fromOption(
      readJson(Redacted.value(stored)),
      () =>
        new NeedsReauthorization({
          message: `This ${platform} account's stored access can't be read; connect it again`
        })
    )
  return {
    encode: (credentials: S["Type"]): Redacted.Redacted => Redacted.make(encodeJson(credentials)),
    read,
    decode: (stored: Redacted.Redacted): Effect.Effect<S["Type"], NeedsReauthorization> =>
      Effect.fromResult(read(stored))
  }
}
