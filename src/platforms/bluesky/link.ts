import { Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { isLoopback } from "../../domain/plain/loopback.ts"
import { LinkRefused, Unavailable } from "../../domain/publishing/platformError.ts"
import { GuardedHttpClient } from "../../outbound/GuardedHttpClient.ts"
import { makeCall, type PlatformResponse, readResponse } from "../call.ts"
import type { BlueskyConfig } from "./config.ts"
import type { FormLink } from "../Link.ts"
import { orUnavailable } from "../outcome.ts"
import { displayName } from "../platformText.ts"
import { webAddress } from "../syntax.ts"
import { type BlueskyCalls, pdsOf, throughService } from "./api.ts"
import { appPassword, loginName } from "./loginName.ts"
import { type BlueskySession, decodeSession, encodeSession, readSession, sessionFrom } from "./session.ts"
import { isHandle } from "./syntax.ts"
import { endsSession, errorDetail, procedure, query, rateLimited, xrpcError } from "./xrpc.ts"

const readProfile = readResponse(
  Schema.Struct({
    displayName: Schema.optionalKey(Schema.Unknown),
    avatar: Schema.optionalKey(Schema.Unknown)
  })
)

/** Anybody can run a service, so a profile's values are checked. */
const profileOf = (profile: { readonly displayName?: unknown; readonly avatar?: unknown }) => ({
  displayName: displayName(profile.displayName),
  avatarUrl: webAddress(profile.avatar)
})

/** Null unless the URL is http on this machine, or https, because the service gets a password. */
const serviceOrigin = (service: string): string | null => {
  const url = URL.parse(service)
  if (url === null || (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))))
    return null
  return url.origin
}

/** Profiles are on another service. If that service does not answer, the account is linked without its profile. */
const fetchProfile = (calls: BlueskyCalls, session: BlueskySession, serviceUrl: string, did: string) => {
  const { through, url } = pdsOf(session, serviceUrl)
  return calls[through](
    HttpClientRequest.bearerToken(query(url, "app.bsky.actor.getProfile", { actor: did }), session.accessJwt)
  ).pipe(
    Effect.map((response) => (response.status === 200 ? readProfile(response) : Option.none())),
    Effect.orElseSucceed(Option.none)
  )
}

const makeCalls = Effect.gen(function* () {
  return {
    configured: makeCall(yield* HttpClient.HttpClient, "Bluesky"),
    guarded: makeCall(yield* GuardedHttpClient, "Bluesky")
  }
})

/** An error response can repeat the password, and operators see the response. */
const withoutPassword = (response: PlatformResponse, password: Redacted.Redacted): PlatformResponse =>
  response.status < 400 || response.body === null || Redacted.value(password) === ""
    ? response
    : { ...response, body: response.body.replaceAll(Redacted.value(password), "…") }

const refusedService = (message: string) => new LinkRefused({ field: "service", message })

const otherServer = ". For an account on a server of its own (PDS), give that server's address as well"

const refusalOf = (response: PlatformResponse, isDefault: boolean): LinkRefused | undefined => {
  const error = xrpcError(response)?.error
  if (error === "AuthFactorTokenRequired") {
    return new LinkRefused({
      field: "app_password",
      message: "Bluesky asks for a second factor; use an app password (Settings, Privacy and security)"
    })
  }
  if (error === "AccountTakedown") return closed
  return response.status === 400 || response.status === 401
    ? new LinkRefused({
        field: "app_password",
        message: `Bluesky does not accept this handle with this app password; check both, or create another app password (Settings, Privacy and security)${isDefault ? otherServer : ""}`
      })
    : undefined
}

const closed = new LinkRefused({
  field: "identifier",
  message: "Bluesky has closed this account for posting; open it again before you connect it"
})

interface Login {
  readonly service: string
  readonly identifier: string
  readonly password: Redacted.Redacted
  /** True if an API request named `service`, which has to be public then. */
  readonly guarded: boolean
  readonly isDefault: boolean
}

/** Logs in with the app password, but keeps only the session. */
const openSession = Effect.fn("Bluesky.openSession")(function* ({
  guarded,
  identifier,
  isDefault,
  password,
  ...login
}: Login) {
  const service = serviceOrigin(login.service)
  if (service === null) return yield* refusedService("This is not an https address of a Bluesky service")
  const calls = yield* makeCalls
  const answer = yield* calls[throughService({ guarded })](
    HttpClientRequest.bodyJsonUnsafe(procedure(service, "com.atproto.server.createSession"), {
      identifier: loginName(identifier, service),
      password: Redacted.value(password)
    })
  ).pipe(
    Effect.mapError(({ message, refusal }) =>
      refusal === undefined ? new Unavailable({ message }) : refusedService(refusal)
    )
  )
  const response = withoutPassword(answer, password)
  if (response.status === 429) return yield* rateLimited(response)
  const refusal = refusalOf(response, isDefault)
  if (refusal !== undefined) return yield* refusal
  const created = response.status === 200 ? readSession(response) : Option.none()
  if (Option.isNone(created)) {
    return yield* new Unavailable({ message: `${service} did not open a session: ${errorDetail(response)}` })
  }
  if (created.value.active === false) return yield* closed
  const session = sessionFrom(created.value, service, guarded)
  const { did, handle } = created.value
  if (!isHandle(handle)) return yield* new Unavailable({ message: `${service} did not return the account's handle` })
  const profile = Option.getOrUndefined(yield* fetchProfile(calls, session, service, did))
  return { accountId: did, username: handle, ...profileOf(profile ?? {}), service, session }
})

const decodeValues = Schema.decodeUnknownEffect(
  Schema.Struct({
    identifier: Schema.String,
    app_password: Schema.Redacted(Schema.String),
    service: Schema.optional(Schema.NullOr(Schema.String))
  })
)

/**
 * Logs in with an app password, at the default PDS unless a person names another. The account keeps that URL, except in
 * the sandbox, whose address changes with each start.
 */
export const makeBlueskyLink = ({ defaultServiceUrl }: BlueskyConfig, where: "live" | "sandbox"): FormLink => {
  const isDefault = (service: string) => URL.parse(service)?.origin === new URL(defaultServiceUrl).origin

  return {
    kind: "form",
    logIn: Effect.fn("Bluesky.logIn")(function* (values, { guarded }) {
      const { app_password: password, identifier, service } = yield* Effect.orDie(decodeValues(values))
      const named = service ?? defaultServiceUrl
      const login = {
        service: named,
        identifier,
        password: appPassword(password),
        guarded: guarded && !isDefault(named),
        isDefault: isDefault(named)
      }
      const { service: origin, session, ...account } = yield* openSession(login)
      const serviceUrl = where === "sandbox" && isDefault(named) ? null : origin
      return { ...account, serviceUrl, host: session.pdsUrl ?? serviceUrl, credentials: encodeSession(session) }
    }),
    /** Returns no username, because each renewal of the session returns it. */
    profile: Effect.fn("Bluesky.fetchProfile")(function* ({ accountId, credentials, serviceUrl }) {
      const calls = yield* makeCalls
      const session = yield* decodeSession(credentials)
      const profile = yield* fetchProfile(calls, session, serviceUrl ?? defaultServiceUrl, accountId)
      if (Option.isNone(profile))
        return yield* new Unavailable({ message: "Bluesky did not return this account's profile" })
      return { username: null, ...profileOf(profile.value) }
    }),
    /**
     * Ends the session at the service that created it. Succeeds if it has already ended. The access token can work
     * until it expires, two hours at most. A failure may leave the session open, but is no reason to keep the
     * credentials: the owner can revoke the app password.
     */
    revoke: Effect.fn("Bluesky.endSession")(function* ({ credentials, serviceUrl }) {
      const { guarded, refreshJwt } = yield* decodeSession(credentials)
      const call = makeCall(yield* guarded === true ? GuardedHttpClient : HttpClient.HttpClient, "Bluesky")
      const request = procedure(serviceUrl ?? defaultServiceUrl, "com.atproto.server.deleteSession")
      const response = yield* call(HttpClientRequest.bearerToken(request, refreshJwt)).pipe(orUnavailable)
      if (response.status === 200 || endsSession(xrpcError(response))) return
      if (response.status === 429) return yield* rateLimited(response)
      return yield* new Unavailable({ message: `Bluesky did not end the session (${errorDetail(response)})` })
    })
  }
}
