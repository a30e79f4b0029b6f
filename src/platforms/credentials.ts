import { Effect, type Option, Redacted, Schema } from "effect"
import { NeedsReauthorization } from "../domain/publishing/platformError.ts"
import { jsonReader } from "./json.ts"

/** How an adapter's credentials are stored: as JSON, which the repository encrypts. */
export const credentialsCodec = <S extends Schema.ConstraintCodec<unknown, unknown>>(platform: string, schema: S) => {
  const readJson = jsonReader(schema)
  const encodeJson = Schema.encodeSync(Schema.fromJsonString(schema))
  return {
    encode: (credentials: S["Type"]): Redacted.Redacted => Redacted.make(encodeJson(credentials)),
    /** None if they can't be read. */
    read: (stored: Redacted.Redacted): Option.Option<S["Type"]> => readJson(Redacted.value(stored)),
    decode: (stored: Redacted.Redacted): Effect.Effect<S["Type"], NeedsReauthorization> =>
      Effect.mapError(
        Effect.fromOption(readJson(Redacted.value(stored))),
        () =>
          new NeedsReauthorization({
            message: `This ${platform} account's stored access can't be read; connect it again`
          })
      )
  }
}
