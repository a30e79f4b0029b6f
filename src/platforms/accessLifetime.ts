import { Duration, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { jsonReader } from "./json.ts"

/** A platform that says less or more is mistaken: both give two hours. Access that lasts less is not renewed ahead. */
const isLifetime = Schema.is(Schema.Finite.check(Schema.isBetween({ minimum: 600, maximum: 30 * 24 * 60 * 60 })))

/** How long access lasts by a number of seconds that a platform sent, in RenewedAccess's form. Another value counts as absent. */
export const lifetimeOf = (seconds: unknown) => (isLifetime(seconds) ? { lifetime: Duration.seconds(seconds) } : {})

const readClaims = jsonReader(Schema.Struct({ exp: Schema.Finite, iat: Schema.Finite }))
const decoder = new TextDecoder()

/** How long an access JWT lasts, by the clock of its issuer alone. Nothing relies on it: whether the token works is the platform's to say. */
export const lifetimeOfJwt = (jwt: string) =>
  Option.match(
    Option.flatMap(Result.getSuccess(Base64Url.decode(jwt.split(".")[1] ?? "")), (bytes) =>
      readClaims(decoder.decode(bytes))
    ),
    { onNone: () => ({}), onSome: ({ exp, iat }) => lifetimeOf(exp - iat) }
  )
