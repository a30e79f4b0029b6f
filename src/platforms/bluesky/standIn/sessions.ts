import { Effect, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Grant, SandboxAccount } from "../../../sandbox/state/entry.ts"
import type { Store } from "../../../sandbox/state/store.ts"
import type { StandInContext } from "../../../sandbox/StandIn.ts"
import { bearerToken, type StandInRequest, standInRoute } from "../../../sandbox/standInRoute.ts"
import { strictBody } from "../../../sandbox/strictBody.ts"
import { pdsError } from "./responses.ts"

/** The password of every account in the sandbox. */
export const sandboxAppPassword = "sandbox-app-password"

/** Log-in with these creates the account. */
const freeHandle = /^([a-z0-9]{1,15})\.sandbox\.test$/

const readLogin = strictBody(
  Schema.Struct({
    identifier: Schema.String,
    password: Schema.String,
    authFactorToken: Schema.optionalKey(Schema.String),
    allowTakendown: Schema.optionalKey(Schema.Boolean)
  })
)

const describe = ({ closed = null, id, username }: SandboxAccount) => ({
  did: id,
  handle: username,
  active: closed === null,
  ...(closed === null ? {} : { status: closed })
})

const didDocument = ({ id, pdsUrl }: SandboxAccount) =>
  pdsUrl === undefined ? {} : { didDoc: { id, service: [{ id: "#atproto_pds", serviceEndpoint: pdsUrl }] } }

const closedErrors = {
  deactivated: ["AccountDeactivated", "Account is deactivated"],
  suspended: ["AccountSuspended", "Account is suspended"],
  takendown: ["AccountTakedown", "Account has been taken down"]
} as const

/** An account is deactivated on a PDS that it has moved away from. */
export const closedOn = ({ closed, pdsUrl }: SandboxAccount, { headers }: StandInRequest) => {
  const moved = pdsUrl !== undefined && URL.parse(pdsUrl)?.host !== headers["host"]
  return closed ?? (moved ? "deactivated" : undefined)
}

const sessionResponse = (account: SandboxAccount, grant: Grant) =>
  HttpServerResponse.jsonUnsafe({
    ...describe(account),
    ...didDocument(account),
    accessJwt: grant.access,
    refreshJwt: grant.refresh
  })

/** Accepts accounts that are not open. */
const withAccount = (
  store: Store,
  request: StandInRequest,
  then: (account: SandboxAccount) => Effect.Effect<HttpServerResponse.HttpServerResponse>
) => {
  const token = bearerToken(request)
  if (token === undefined) return Effect.succeed(pdsError(401, "AuthMissing"))
  return Effect.flatMap(
    store.read((state, now) => state.accountByToken("bluesky", token, now)),
    (account) => {
      if (account === undefined) return Effect.succeed(pdsError(400, "InvalidToken", "Token could not be verified"))
      return account === "expired" ? Effect.succeed(pdsError(400, "ExpiredToken", "Token has expired")) : then(account)
    }
  )
}

export const authorized: typeof withAccount = (store, request, then) =>
  withAccount(store, request, (account) => {
    const closed = closedOn(account, request)
    return closed === undefined ? then(account) : Effect.succeed(pdsError(401, ...closedErrors[closed]))
  })

export const pdsSessions = (context: StandInContext) => {
  const { register, store, tokens } = context
  const findOrRegister = Effect.fnUntraced(function* (identifier: string) {
    const handle = identifier.toLowerCase()
    const known = yield* store.read(
      (state) => state.accountByUsername("bluesky", handle) ?? state.account("bluesky", identifier)
    )
    const [, name] = freeHandle.exec(handle) ?? []
    return known ?? (name === undefined ? undefined : yield* register(name))
  })

  const create = Effect.fnUntraced(function* (request: StandInRequest) {
    const login = readLogin(request.body)
    if (Result.isFailure(login)) return pdsError(400)
    const { identifier, password } = login.success
    const account = password === sandboxAppPassword ? yield* findOrRegister(identifier) : undefined
    if (account === undefined) return pdsError(401, "AuthenticationRequired", "Invalid identifier or password")
    return account.closed === "takendown"
      ? pdsError(401, ...closedErrors.takendown)
      : sessionResponse(account, yield* tokens.issue(account))
  })

  const refresh = Effect.fnUntraced(function* (request: StandInRequest) {
    const token = bearerToken(request)
    if (token === undefined) return pdsError(401, "AuthMissing")
    const closed = yield* store.read((state) => {
      const known = state.grantByRefreshToken("bluesky", token)
      return known === undefined ? undefined : state.account("bluesky", known.accountId)?.closed
    })
    if (closed === "takendown") return pdsError(401, ...closedErrors.takendown)
    const grant = yield* tokens.renew(token)
    if (grant === "unknown") return pdsError(400, "InvalidToken", "Token could not be verified")
    if (grant === "ended") return pdsError(400, "ExpiredToken", "Token has been revoked")
    const account = yield* store.read((state) => state.account("bluesky", grant.accountId))
    return account === undefined ? pdsError(400) : sessionResponse(account, grant)
  })

  const end = Effect.fnUntraced(function* (request: StandInRequest) {
    const token = bearerToken(request)
    if (token === undefined) return pdsError(401, "AuthMissing")
    const known = yield* store.read((state) => state.grantByRefreshToken("bluesky", token))
    if (known === undefined) return pdsError(400, "InvalidToken", "Token could not be verified")
    return yield* Effect.as(tokens.revoke(token), HttpServerResponse.empty({ status: 200 }))
  })

  const get = (request: StandInRequest) =>
    withAccount(store, request, (account) => Effect.succeed(HttpServerResponse.jsonUnsafe(describe(account))))

  const resolve = ({ query }: StandInRequest) =>
    store.read((state) => {
      const account = state.accountByUsername("bluesky", (query.get("handle") ?? "").toLowerCase())
      return account === undefined
        ? pdsError(400, "HandleNotFound", "Unable to resolve handle")
        : HttpServerResponse.jsonUnsafe({ did: account.id })
    })

  const profile = (request: StandInRequest) =>
    withAccount(store, request, () =>
      store.read((state) => {
        const account = state.account("bluesky", request.query.get("actor") ?? "")
        return account === undefined
          ? pdsError(400, "InvalidRequest", "Profile not found")
          : HttpServerResponse.jsonUnsafe({
              did: account.id,
              handle: account.username,
              displayName: account.displayName
            })
      })
    )

  return [
    standInRoute(context, "session", "POST", "/xrpc/com.atproto.server.createSession", create),
    standInRoute(context, "session", "POST", "/xrpc/com.atproto.server.refreshSession", refresh),
    standInRoute(context, "session", "POST", "/xrpc/com.atproto.server.deleteSession", end),
    standInRoute(context, "session", "GET", "/xrpc/com.atproto.server.getSession", get),
    standInRoute(context, "identity", "GET", "/xrpc/com.atproto.identity.resolveHandle", resolve),
    standInRoute(context, "identity", "GET", "/xrpc/app.bsky.actor.getProfile", profile)
  ]
}
