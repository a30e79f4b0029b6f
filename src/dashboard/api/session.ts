import type { Scope } from "../../domain/apiKey.ts"
import type { Role } from "../../domain/role.ts"
import { request } from "./client.ts"
import { query } from "./query.ts"

export interface Me {
  readonly workspace: { readonly id: string; readonly name: string }
  readonly workspaces: ReadonlyArray<{ readonly id: string; readonly name: string; readonly role: Role }>
  readonly caller: {
    readonly type: "user"
    readonly id: string
    readonly email: string
    readonly role: Role
    readonly scopes: ReadonlyArray<Scope>
  }
  readonly rate_limit: { readonly limit: number; readonly window_seconds: number }
  readonly publishing: { readonly held_since: string | null }
  readonly platforms: "sandbox" | "live"
}

interface Session {
  readonly data: { readonly user_id: string; readonly email: string; readonly workspace_id: string }
}

/** Who is logged in, in which workspace, and what they may do. */
export const me = query<{ readonly data: Me }>("/v1/me")

export const logIn = (email: string, password: string) =>
  request<Session>("POST", "/v1/session", { body: { email, password } })

/** In the sandbox alone. */
export const logInAsDemo = () => request<Session>("POST", "/sandbox/session")

export const logOut = () => request<unknown>("DELETE", "/v1/session")

export const switchWorkspace = (id: string) =>
  request<Session>("PUT", "/v1/session/workspace", { body: { workspace_id: id } })
