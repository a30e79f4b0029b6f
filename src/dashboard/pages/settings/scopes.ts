import type { Scope } from "../../../domain/apiKey.ts"

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
export const powerfulScopes: ReadonlyArray<Scope> = ["integrations:write", "webhooks:manage"]

/** What a key may do, in a few words. */
export const describeScopes = (scopes: ReadonlyArray<Scope>): string =>
  scopes.length === allScopes.length ? "Everything" : scopes.map((scope) => scopeNames[scope]).join(", ")
