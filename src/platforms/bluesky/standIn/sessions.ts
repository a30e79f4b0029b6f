import { Result, Schema } from "effect"
import {
  authorizedBy,
  bearerToken,
  endpoint,
  type Respond,
  type RespondTo,
  type StandInRequest,
  type StandInResponse,
  strictBody
} from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import type { Grant, SandboxAccount } from "../../../sandbox/state/entry.ts"
import type { State } from "../../../sandbox/state/state.ts"
import { pdsError } from "./responses.ts"

export const sandboxAppPassword = "sandbox-app-password"

/** A log-in with such a handle creates the account. */
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

const session = (account: SandboxAccount, { access, refresh }: Grant) => ({
  ...describe(account),
  ...didDocument(account),
  accessJwt: access,
  refreshJwt: refresh
})

const tokenErrors = {
  missing: pdsError(401, "AuthMissing"),
  unknown: pdsError(400, "InvalidToken", "Token could not be verified"),
  expired: pdsError(400, "ExpiredToken", "Token has expired"),
  ended: pdsError(400, "ExpiredToken", "Token has been revoked")
}

/** Also lets accounts in that are not open. */
const ofAccount = authorizedBy("bluesky", (token) => tokenErrors[token])

export const authorized = (respond: RespondTo): Respond =>
  ofAccount((account, request, state) => {
    const closed = closedOn(account, request)
    return closed === undefined ? respond(account, request, state) : pdsError(401, ...closedErrors[closed])
  })

const get: RespondTo = (account) => ({ status: 200, body: describe(account) })

const resolve: Respond = ({ query }, state) => {
  const account = state.accountByUsername("bluesky", (query.get("handle") ?? "").toLowerCase())
  return account === undefined
    ? pdsError(400, "HandleNotFound", "Unable to resolve handle")
    : { status: 200, body: { did: account.id } }
}

const profile: RespondTo = (_, { query }, state) => {
  const account = state.account("bluesky", query.get("actor") ?? "")
  return account === undefined
    ? pdsError(400, "InvalidRequest", "Profile not found")
    : { status: 200, body: { did: account.id, handle: account.username, displayName: account.displayName } }
}

const withRefreshToken =
  (respond: (token: string, request: StandInRequest, state: State) => StandInResponse): Respond =>
  (request, state) => {
    const token = bearerToken(request)
    return token === undefined ? tokenErrors.missing : respond(token, request, state)
  }

export const pdsSessions = ({ deriveAccount, tokens }: StandInMemory) => {
  const findOrDerive = (state: State, identifier: string) => {
    const handle = identifier.toLowerCase()
    const [, name] = freeHandle.exec(handle) ?? []
    return (
      state.accountByUsername("bluesky", handle) ??
      state.account("bluesky", identifier) ??
      (name === undefined ? undefined : deriveAccount(name))
    )
  }

  const create: Respond = (request, state) => {
    const login = readLogin(request.body)
    if (Result.isFailure(login)) return pdsError(400)
    const { identifier, password } = login.success
    const account = password === sandboxAppPassword ? findOrDerive(state, identifier) : undefined
    if (account === undefined) return pdsError(401, "AuthenticationRequired", "Invalid identifier or password")
    if (account.closed === "takendown") return pdsError(401, ...closedErrors.takendown)
    const grant = tokens.issue(account, request)
    const isNew = state.account("bluesky", account.id) === undefined
    return { status: 200, body: session(account, grant), entries: isNew ? [account, grant] : [grant] }
  }

  const refresh = withRefreshToken((token, request, state) => {
    const known = state.grantByRefreshToken("bluesky", token)
    const account = known === undefined ? undefined : state.account("bluesky", known.accountId)
    if (account?.closed === "takendown") return pdsError(401, ...closedErrors.takendown)
    const { entries, result } = tokens.renew(state, token, request)
    if (typeof result === "string") return { ...tokenErrors[result], entries }
    return account === undefined ? pdsError(400) : { status: 200, body: session(account, result), entries }
  })

  const end = withRefreshToken((token, _, state) =>
    state.grantByRefreshToken("bluesky", token) === undefined
      ? tokenErrors.unknown
      : { status: 200, entries: tokens.revoke(state, token).entries }
  )

  return [
    endpoint("session", "POST", "/xrpc/com.atproto.server.createSession", create),
    endpoint("session", "POST", "/xrpc/com.atproto.server.refreshSession", refresh),
    endpoint("session", "POST", "/xrpc/com.atproto.server.deleteSession", end),
    endpoint("session", "GET", "/xrpc/com.atproto.server.getSession", ofAccount(get)),
    endpoint("identity", "GET", "/xrpc/com.atproto.identity.resolveHandle", resolve),
    endpoint("identity", "GET", "/xrpc/app.bsky.actor.getProfile", ofAccount(profile))
  ]
}
