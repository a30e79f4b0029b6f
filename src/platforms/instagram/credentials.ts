import { DateTime, Duration, Effect, type Redacted, Result, Schema } from "effect"
import type { RenewedAccess } from "../../domain/accounts/integration.ts"
import { type NeedsReauthorization, type PlatformError, Unavailable } from "../../domain/publishing/platformError.ts"
import type { Call } from "../call.ts"
import { credentialsCodec } from "../credentials.ts"
import { readFrom } from "../meta/api.ts"
import type { MetaApplication } from "../meta/config.ts"
import { withToken } from "../meta/pages.ts"
import { makeRefusals } from "../meta/refusals.ts"
import { orUnavailable } from "../outcome.ts"
import type { Login } from "./config.ts"
import { instagram } from "./facts.ts"
import { tokens } from "./tokens.ts"

/**
 * The token of the Page to which an account belongs. It has no end. A version that does not know Facebook Login can't
 * read it, and so never sends it to Instagram's own API.
 */
const PageAccess = Schema.Struct({
  login: Schema.Literal("facebook"),
  accessToken: Schema.NonEmptyString,
  scopes: Schema.optionalKey(Schema.Array(Schema.String))
})

const { refusedIdly } = makeRefusals(instagram.name)
const pageAccess = credentialsCodec(instagram.name, PageAccess)

export const encodePageAccess = (access: Omit<typeof PageAccess.Type, "login">): Redacted.Redacted =>
  pageAccess.encode({ login: "facebook", ...access })

/** The time after which Facebook is asked again if it still takes a Page's token. */
const checkedFor = Duration.days(1)

/**
 * Nothing renews a Page's token. Facebook is asked if it still takes the token, so that a withdrawn one is noticed
 * before a post needs it.
 */
export const keepPageAccess = Effect.fnUntraced(function* (
  application: Pick<MetaApplication, "apiUrl" | "version">,
  call: Call,
  credentials: Redacted.Redacted
): Effect.fn.Return<RenewedAccess, PlatformError> {
  const { accessToken } = yield* pageAccess.decode(credentials)
  const response = yield* orUnavailable(call(withToken(application, readFrom("/me", { fields: "id" }), accessToken)))
  if (response.status === 200) return { credentials, lifetime: checkedFor }
  const error = refusedIdly(response, yield* DateTime.now)
  return yield* error._tag === "NeedsReauthorization"
    ? Effect.fail(error)
    : new Unavailable({ message: `Facebook did not say if it takes the access to this account: ${error.message}` })
})

interface Access {
  readonly login: Login
  readonly accessToken: string
  readonly scopes?: ReadonlyArray<string>
}

export const readAccess = (credentials: Redacted.Redacted): Result.Result<Access, NeedsReauthorization> =>
  Result.orElse(pageAccess.read(credentials), () =>
    Result.map(tokens.readTokens(credentials), ({ accessToken }): Access => ({ login: "instagram", accessToken }))
  )

/** Credentials that can't be read count as those of Instagram Login, whose code says so. */
export const isOfPage = (credentials: Redacted.Redacted): boolean => Result.isSuccess(pageAccess.read(credentials))
