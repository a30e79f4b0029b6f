import { Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { AccountProfile, ConnectedAccount } from "../../domain/integration.ts"
import { type PlatformError, Rejected, Unavailable } from "../../domain/platformError.ts"
import { GuardedHttpClient } from "../../outbound/GuardedHttpClient.ts"
import { makeCall, readResponse } from "../call.ts"
import { orUnavailable } from "../outcome.ts"
import { type BlueskyCalls, pdsOf } from "./api.ts"
import { type BlueskySession, decodeSession, encodeSession, readSession, sessionFrom } from "./session.ts"
import { errorDetail, procedure, query, rateLimited, xrpcError } from "./xrpc.ts"

const readProfile = readResponse(
  Schema.Struct({
    displayName: Schema.optionalKey(Schema.String),
    avatar: Schema.optionalKey(Schema.String)
  })
)

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"])

/** The origin of a PDS's address; null unless it is https, since a password goes there, or http on this machine. */
const serviceOrigin = (service: string): string | null => {
  const url = URL.parse(service)
  if (url === null || (url.protocol !== "https:" && !(url.protocol === "http:" && loopback.has(url.hostname))))
    return null
  return url.origin
}

/** Another service keeps profiles, so an account can be linked without one. */
const fetchProfile = (calls: BlueskyCalls, session: BlueskySession, serviceUrl: string, did: string) => {
  const { call, url } = pdsOf(calls, session, serviceUrl)
  return call(
    HttpClientRequest.bearerToken(query(url, "app.bsky.actor.getProfile", { actor: did }), session.accessJwt)
  ).pipe(
    Effect.map((response) => (response.status === 200 ? readProfile(response) : Option.none())),
    Effect.orElseSucceed(Option.none)
  )
}

const makeCalls = Effect.gen(function* () {
  return {
    configured: makeCall(yield* HttpClient.HttpClient, "Bluesky"),
    documented: makeCall(yield* GuardedHttpClient, "Bluesky")
  }
})

/** Fetches the name and picture of an account. Its handle comes with each renewal of its session. */
export const fetchBlueskyProfile = Effect.fn("Bluesky.fetchProfile")(function* (account: {
  readonly accountId: string
  readonly service: string
  readonly credentials: Redacted.Redacted
}): Effect.fn.Return<AccountProfile, PlatformError, HttpClient.HttpClient | GuardedHttpClient> {
  const calls = yield* makeCalls
  const session = yield* decodeSession(account.credentials)
  const profile = yield* fetchProfile(calls, session, account.service, account.accountId)
  if (Option.isNone(profile)) return yield* new Unavailable({ message: "Bluesky did not say this account's profile" })
  const displayName = profile.value.displayName?.trim() ?? ""
  return {
    username: null,
    displayName: displayName === "" ? null : displayName,
    avatarUrl: profile.value.avatar ?? null
  }
})

/** Links a Bluesky account by its handle, DID or email address and an app password, which is not kept. */
export const linkBluesky = Effect.fn("linkBluesky")(function* (login: {
  readonly service: string
  readonly identifier: string
  readonly password: Redacted.Redacted
}): Effect.fn.Return<ConnectedAccount, PlatformError, HttpClient.HttpClient | GuardedHttpClient> {
  const service = serviceOrigin(login.service)
  if (service === null)
    return yield* new Rejected({ message: `${login.service} is not an https address of a Bluesky service` })
  const calls = yield* makeCalls
  const response = yield* calls
    .configured(
      HttpClientRequest.bodyJsonUnsafe(procedure(service, "com.atproto.server.createSession"), {
        identifier: login.identifier.trim().replace(/^@/, ""),
        password: Redacted.value(login.password)
      })
    )
    .pipe(orUnavailable)
  if (response.status === 429) return yield* rateLimited(response)
  if (xrpcError(response)?.error === "AuthFactorTokenRequired") {
    return yield* new Rejected({
      message: "Bluesky asks for a second factor; use an app password (Settings, Privacy and security)"
    })
  }
  if (response.status === 400 || response.status === 401) {
    return yield* new Rejected({ message: `Bluesky refused the handle and app password: ${errorDetail(response)}` })
  }
  const created = response.status === 200 ? readSession(response) : Option.none()
  if (Option.isNone(created)) {
    return yield* new Unavailable({ message: `${service} did not open a session: ${errorDetail(response)}` })
  }
  if (created.value.active === false) {
    return yield* new Rejected({
      message: "Bluesky has closed this account for posting; open it again before you connect it"
    })
  }
  const session = sessionFrom(created.value, service)
  const { did, handle } = created.value
  const profile = Option.getOrUndefined(yield* fetchProfile(calls, session, service, did))
  const displayName = profile?.displayName?.trim() ?? ""
  return {
    accountId: did,
    username: handle,
    displayName: displayName === "" ? null : displayName,
    avatarUrl: profile?.avatar ?? null,
    serviceUrl: service,
    credentials: encodeSession(session)
  }
})
