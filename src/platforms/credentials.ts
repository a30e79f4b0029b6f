import { Effect, type Option, Redacted, Schema } from "effect"
import { NeedsReauthorization } from "../domain/publishing/platformError.ts"

/** How an adapter's credentials are stored: as JSON, which the repository encrypts. */
export const credentialsCodec = <S extends Schema.ConstraintCodec<unknown, unknown>>(platform: string, schema: S) => {
  const json = Schema.fromJsonString(schema)
  const decodeJson = Schema.decodeUnknownOption(json)
  const encodeJson = Schema.encodeSync(json)
  return {
    encode: (credentials: S["Type"]): Redacted.Redacted => Redacted.make(encodeJson(credentials)),
    /** None if they can't be read. */
    read: (stored: Redacted.Redacted): Option.Option<S["Type"]> => decodeJson(Redacted.value(stored)),
    decode: (stored: Redacted.Redacted): Effect.Effect<S["Type"], NeedsReauthorization> =>
      Effect.mapError(
        Effect.fromOption(decodeJson(Redacted.value(stored))),
        () =>
          new NeedsReauthorization({
            message: `This ${platform} account's stored access can't be read; connect it again`
          })
      )
  }
}
