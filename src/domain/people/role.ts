import { Schema } from "effect"
import { roles } from "../plain/access.ts"
import { Scope } from "./apiKey.ts"

export const Role = Schema.Literals(roles).annotate({
  title: "Role",
  description:
    "`viewer` reads; `editor` also does everything with posts and media, and approves; `admin` also connects accounts and manages API keys, webhooks and members.",
  examples: ["editor"]
})
export type Role = typeof Role.Type

const viewer: ReadonlyArray<Scope> = ["posts:read", "integrations:read", "notifications:read"]
const editor: ReadonlyArray<Scope> = [...viewer, "posts:write", "posts:publish", "posts:delete", "media:write"]

const scopes: { readonly [R in Role]: ReadonlyArray<Scope> } = { viewer, editor, admin: Scope.literals }

export const roleScopes = (role: Role): ReadonlyArray<Scope> => scopes[role]

export const rolesWith = (scope: Scope): string =>
  new Intl.ListFormat("en", { type: "disjunction" }).format(
    Role.literals.filter((role) => roleScopes(role).includes(scope))
  )
