import type { Scope } from "../../../domain/people/apiKey.ts"
import { scopes as allScopes } from "../../../domain/plain/access.ts"

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

const names = (scopes: ReadonlyArray<Scope>) => scopes.map((scope) => scopeNames[scope].toLowerCase()).join(", ")

/** True if a key that requires approval can't use the scope. */
export const needsNoApproval = (scope: Scope): boolean => scope === "posts:publish"

export const describeScopes = (all: ReadonlyArray<Scope>, requiresApproval: boolean): string => {
  const scopes = requiresApproval ? all.filter((scope) => !needsNoApproval(scope)) : all
  const missing = allScopes.filter((scope) => !scopes.includes(scope))
  if (missing.length === 0) return "May do everything"
  return missing.length < scopes.length ? `May do everything but ${names(missing)}` : `May ${names(scopes)}`
}
