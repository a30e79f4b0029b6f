import { createHash } from "node:crypto"
import { Duration } from "effect"
import {
  type Endpoint,
  endpoint,
  type Respond,
  type RespondTo,
  type StandInResponse
} from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import type { Grant } from "../../../sandbox/state/entry.ts"
import { requestedScopes } from "../tokens.ts"
import { authorized, respond } from "./responses.ts"
import { uploadsPlaylist } from "./videos.ts"

export const sandboxApplication = { clientId: "sandbox", clientSecret: "sandbox-secret" }

export const accessLifetime = Duration.toMillis(Duration.hours(1))

const oauthError = (error: string, error_description: string): StandInResponse => ({
  status: error === "invalid_client" ? 401 : 400,
  body: { error, error_description }
})

/** A renewal returns no refresh token, because the earlier one stays valid. */
const tokensOf = ({ access, refresh, replaces }: Grant) => ({
  access_token: access,
  expires_in: accessLifetime / 1000,
  scope: requestedScopes.join(" "),
  token_type: "Bearer",
  ...(replaces === null ? { refresh_token: refresh } : {})
})

/** A person without a channel has an empty list. */
const channels: RespondTo = (account, { oddity, query }) => {
  const isOwn = query.get("mine") === "true" || query.get("id") === account.id
  const channel = {
    kind: "youtube#channel",
    id: account.id,
    snippet: { title: account.displayName, customUrl: `@${account.username}` },
    contentDetails: { relatedPlaylists: { likes: "", uploads: uploadsPlaylist(account.id) } }
  }
  return respond(200, {
    kind: "youtube#channelListResponse",
    ...(isOwn && oddity?.kind !== "nulls" ? { items: [channel] } : {})
  })
}

export const youtubeTokens = ({ codes, tokens }: StandInMemory): ReadonlyArray<Endpoint> => {
  const token: Respond = (request, state) => {
    const form = new URLSearchParams(request.body)
    const isOwn =
      form.get("client_id") === sandboxApplication.clientId &&
      form.get("client_secret") === sandboxApplication.clientSecret
    if (!isOwn) return oauthError("invalid_client", "The OAuth client was not found.")
    if (form.get("grant_type") === "refresh_token") {
      const { entries, result } = tokens.renew(state, form.get("refresh_token") ?? "", request)
      return typeof result === "string"
        ? { ...oauthError("invalid_grant", "Token has been expired or revoked."), entries }
        : { ...respond(200, tokensOf(result)), entries }
    }
    if (form.get("grant_type") !== "authorization_code") {
      return oauthError("unsupported_grant_type", "Invalid grant_type")
    }
    const pending = codes.take(form.get("code") ?? "", request.now)
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url")
    if (pending?.challenge !== challenge || pending.redirectUri !== form.get("redirect_uri")) {
      return oauthError("invalid_grant", "Malformed auth code.")
    }
    const grant = tokens.issue(pending.account, request)
    return { ...respond(200, tokensOf(grant)), entries: [grant] }
  }

  return [
    endpoint("session", "POST", "/google/oauth2/token", token),
    endpoint("identity", "GET", "/google/youtube/v3/channels", authorized(channels))
  ]
}
