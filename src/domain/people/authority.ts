import type { WorkspaceId } from "../ids.ts"
import type { Actor, Author } from "./actor.ts"
import type { Scope } from "./apiKey.ts"
import { Role, roleScopes } from "./role.ts"
import type { Member } from "./session.ts"

/** Whose right something is done by. It has to hold when the change is stored: a request may take a while until then. */
export interface Authority {
  readonly author: Author
  readonly workspaceId: WorkspaceId
  /** The roles of which a person needs one. */
  readonly roles: ReadonlyArray<Role>
}

/** The right to what an admin alone may do. */
export const adminAuthority = ({ userId, workspaceId }: Member): Authority => ({
  author: { type: "user", id: userId },
  workspaceId,
  roles: ["admin"]
})

/** The right to what a scope covers. */
export const scopeAuthority = (
  { author, workspaceId }: Pick<Actor, "author" | "workspaceId">,
  scope: Scope
): Authority => ({
  author,
  workspaceId,
  roles: Role.literals.filter((role) => roleScopes(role).includes(scope))
})
