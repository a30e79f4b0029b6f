import { Schema } from "effect"
import { credentialsCodec } from "../credentials.ts"

const LinkedinAccess = Schema.Struct({
  accessToken: Schema.NonEmptyString,
  /** The time of the consent. Soon after it, LinkedIn may refuse the token by mistake. */
  grantedAt: Schema.DateTimeUtcFromString,
  scope: Schema.optionalKey(Schema.String)
})

export const {
  decode: decodeAccess,
  encode: encodeAccess,
  read: readAccess
} = credentialsCodec("LinkedIn", LinkedinAccess)
