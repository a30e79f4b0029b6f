import { Schema } from "effect"
import { credentialsCodec } from "../credentials.ts"

/** A Page's own token, which has no end. */
const PageAccess = Schema.Struct({
  accessToken: Schema.NonEmptyString,
  scopes: Schema.optionalKey(Schema.Array(Schema.String))
})

export const { decode: decodeAccess, encode: encodeAccess, read: readAccess } = credentialsCodec("Facebook", PageAccess)
