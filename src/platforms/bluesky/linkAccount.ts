import { Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { type PlatformError, Rejected, Unavailable } from "../../domain/platformError.ts"
import { type Call, makeCall, readResponse } from "../call.ts"
import type { ConnectedAccount } from "../PlatformClient.ts"
import { orUnavailable } from "../unanswered.ts"
import { type BlueskySession, encodeSession, SessionResponse, sessionFrom } from "./session.ts"
import { procedure, query, rateLimited, xrpcError } from "./xrpc.ts"

const readSession = readResponse(SessionResponse)
const readProfile = readResponse(
  Schema.Struct({
    displayName: Schema.optionalKey(Schema.String),
    avatar: Schema.optionalKey(Schema.String)
  })
)

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"])

/** A PDS's address without anything after its host; a password goes out encrypted, except to this very machine. */
const serviceAddress = (service: string): string | null => {
  const url = URL.parse(service)
  if (url === null || (url.protocol !== "https:" && !(url.protocol === "http:" && loopback.has(url.hostname))))
    return null
  return url.origin
}

/** The profile is kept by another service, so an account can be connected without it. */
const profileOf = (call: Call, session: BlueskySession, serviceUrl: string, did: string) =>
  call(
    HttpClientRequest.bearerToken(
      query(session.pdsUrl ?? serviceUrl, "app.bsky.actor.getProfile", { actor: did }),
      session.accessJwt
    )
  ).pipe(
    Effect.map((answer) => (answer.status === 200 ? readProfile(answer) : Option.none())),
    Effect.orElseSucceed(Option.none)
  )

/** Connects a Bluesky account with its handle, DID or e-mail address and an app password, which is not kept. */
export const linkBluesky = Effect.fn("linkBluesky")(function* (login: {
  readonly service: string
  readonly identifier: string
  readonly password: Redacted.Redacted
}): Effect.fn.Return<ConnectedAccount, PlatformError, HttpClient.HttpClient> {
  const service = serviceAddress(login.service)
  if (service === null)
    return yield* new Rejected({ message: `${login.service} is not an https address of a Bluesky service` })
  const call = makeCall(yield* HttpClient.HttpClient, "Bluesky")
  const answer = yield* call(
    HttpClientRequest.bodyJsonUnsafe(procedure(service, "com.atproto.server.createSession"), {
      identifier: login.identifier.trim().replace(/^@/, ""),
      password: Redacted.value(login.password)
    })
  ).pipe(orUnavailable)
  if (answer.status === 429) return yield* Effect.flatMap(rateLimited(answer), Effect.fail)
  const told = xrpcError(answer)
  if (told?.error === "AuthFactorTokenRequired") {
    return yield* new Rejected({
      message: "Bluesky asks for a second factor; use an app password (Settings, Privacy and security)"
    })
  }
  if (answer.status === 400 || answer.status === 401) {
    return yield* new Rejected({
      message: `Bluesky refused the handle and app password: ${told?.detail ?? `answer ${answer.status}`}`
    })
  }
  const created = answer.status === 200 ? readSession(answer) : Option.none()
  if (Option.isNone(created)) {
    return yield* new Unavailable({
      message: `${service} did not open a session: ${told?.detail ?? `answer ${answer.status}`}`
    })
  }
  const session = sessionFrom(created.value, service)
  const { did, handle } = created.value
  const profile = yield* profileOf(call, session, service, did)
  const displayName = Option.getOrUndefined(profile)?.displayName?.trim() ?? ""
  return {
    accountId: did,
    username: handle,
    displayName: displayName === "" ? null : displayName,
    avatarUrl: Option.getOrUndefined(profile)?.avatar ?? null,
    serviceUrl: service,
    credentials: encodeSession(session)
  }
})
