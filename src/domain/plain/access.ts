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
 * A key gets these scopes only if they are named, and never if it requires approval, because they can redirect posts or
 * events.
 */
export const powerfulScopes: ReadonlyArray<Scope> = ["integrations:write", "webhooks:manage"]

export const defaultScopes: ReadonlyArray<Scope> = scopes.filter((scope) => !powerfulScopes.includes(scope))

/** Each role includes the one before it. */
export const roles = ["viewer", "editor", "admin"] as const
