import { Duration, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { jsonReader } from "./json.ts"

/**
 * In seconds. The access tokens of both platforms last two hours. Another value is a mistake, or too short to renew the
 * token ahead of time.
 */
const isLifetime = Schema.is(Schema.Finite.check(Schema.isBetween({ minimum: 600, maximum: 30 * 24 * 60 * 60 })))

/** A value outside these bounds counts as absent. */
export const lifetimeOf = (seconds: unknown) => (isLifetime(seconds) ? { lifetime: Duration.seconds(seconds) } : {})

const readClaims = jsonReader(Schema.Struct({ exp: Schema.Finite, iat: Schema.Finite }))
const decoder = new TextDecoder()

/** The lifetime by the issuer's clock. It is only a hint, because the platform decides if the token works. */
export const lifetimeOfJwt = (jwt: string) =>
  Option.match(
    Option.flatMap(Result.getSuccess(Base64Url.decode(jwt.split(".")[1] ?? "")), (bytes) =>
      readClaims(decoder.decode(bytes))
    ),
    { onNone: () => ({}), onSome: ({ exp, iat }) => lifetimeOf(exp - iat) }
  )
