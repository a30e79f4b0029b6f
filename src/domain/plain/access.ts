export const scopes = [
  "posts:read",
  "posts:write",
  "posts:publish",
  "posts:delete",
  "media:write",
  "integrations:read",
  "integrations:write",
  "notifications:read",
  "webhooks:manage"
] as const
type Scope = (typeof scopes)[number]

/**
 * Scopes that a key gets only by name, and never if it requires approval: they change where posts go, or send events to
 * another place.
 */
export const powerfulScopes: ReadonlyArray<Scope> = ["integrations:write", "webhooks:manage"]

/** The scopes of a key that is created without naming any. */
export const defaultScopes: ReadonlyArray<Scope> = scopes.filter((scope) => !powerfulScopes.includes(scope))

/** Each role includes the one before it. */
export const roles = ["viewer", "editor", "admin"] as const
