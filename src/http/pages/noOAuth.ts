import { html } from "../../domain/html.ts"
import { cardPage } from "./cardPage.ts"

const oauthPath =
  /^(?:\/(?:mcp|oauth2?|v1))?\/(?:register|authorize|token|revoke|jwks|\.well-known\/(?:oauth-|openid-configuration|jwks)[\w./%-]*)\/?(?:\?|$)/

/** Agents' clients look for OAuth here once a key is missing or refused, and many show only this answer. */
export const isOAuthPath = (url: string): boolean => oauthPath.test(url)

const keysOnly = "This service has no OAuth: it accepts API keys only, as Authorization: Bearer <API key>."
const reason = "A client that asks here sent no key, or its key was refused."

export const noOAuth = `${keysOnly} ${reason} An admin makes a key in the dashboard, in Settings, Agents`

/** A client may send a person's browser here. */
export const noOAuthPage = cardPage(
  404,
  "Agents need an API key here",
  html`<p>${keysOnly} ${reason}</p>
<p>An admin makes a key in the dashboard, in <a href="/settings/agents">Settings, Agents</a>. Put it into the client's
settings, and connect again.</p>
<p class="note"><a href="/agents.md">How an agent works here</a></p>`
)
