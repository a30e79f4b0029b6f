import type { PowerfulScope, Scope } from "../../../domain/people/apiKey.ts"

/** What each scope allows, in words. */
export const scopeNames: Readonly<Record<Scope, string>> = {
  "posts:read": "See posts and media",
  "posts:write": "Write and schedule posts",
  "posts:publish": "Publish and approve posts",
  "posts:delete": "Delete posts",
  "media:write": "Upload media",
  "integrations:read": "See accounts",
  "integrations:write": "Connect and disconnect accounts",
  "notifications:read": "See notifications",
  "webhooks:manage": "Manage webhooks"
}

const isScope = (name: string): name is Scope => name in scopeNames

export const allScopes: ReadonlyArray<Scope> = Object.keys(scopeNames).filter((name) => isScope(name))

/** They change where posts go or who hears of them, so a key has them only when they are chosen. */
const powerful: Readonly<Record<PowerfulScope, true>> = { "integrations:write": true, "webhooks:manage": true }

/** What a key may do where nobody says otherwise. */
export const defaultScopes: ReadonlyArray<Scope> = allScopes.filter((scope) => !Object.hasOwn(powerful, scope))

const names = (scopes: ReadonlyArray<Scope>) => scopes.map((scope) => scopeNames[scope].toLowerCase()).join(", ")

/** What a key may do, in a few words. */
export const describeScopes = (scopes: ReadonlyArray<Scope>): string => {
  const missing = allScopes.filter((scope) => !scopes.includes(scope))
  if (missing.length === 0) return "May do everything"
  return missing.length < scopes.length ? `May do everything but ${names(missing)}` : `May ${names(scopes)}`
}
